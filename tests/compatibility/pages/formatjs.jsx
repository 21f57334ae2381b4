import { useState } from "react";
import { FormattedMessage, IntlProvider } from "react-intl";

const MESSAGES = {
  en: { greeting: "Hello {name}, {count, plural, one {# message} other {# messages}}" },
  de: { greeting: "Hallo {name}, {count, plural, one {# Nachricht} other {# Nachrichten}}" },
};

export default function Page() {
  const [locale, setLocale] = useState("en");
  return (
    <IntlProvider locale={locale} messages={MESSAGES[locale]}>
      <button onClick={() => setLocale("de")}>
        <FormattedMessage id="greeting" values={{ name: "Ada", count: 2 }} />
      </button>
    </IntlProvider>
  );
}
