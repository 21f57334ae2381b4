import { setupI18n } from "@lingui/core";
import { I18nProvider, useLingui } from "@lingui/react";

const messages = { en: { greeting: ["Hello ", ["name"]] }, de: { greeting: ["Hallo ", ["name"]] } };
const i18n = setupI18n({ locale: "en", messages });

function Greeting() {
  const { _ } = useLingui();
  return <button onClick={() => i18n.activate("de")}>{_("greeting", { name: "Ada" })}</button>;
}

export default () => (
  <I18nProvider i18n={i18n}>
    <Greeting />
  </I18nProvider>
);
