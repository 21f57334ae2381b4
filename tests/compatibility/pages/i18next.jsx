import { createInstance } from "i18next";
import { I18nextProvider, initReactI18next, useTranslation } from "react-i18next";

const resources = {
  en: { translation: { greeting: "Hello {{name}}" } },
  de: { translation: { greeting: "Hallo {{name}}" } },
};
const i18n = createInstance();
i18n.use(initReactI18next).init({ resources, lng: "en", fallbackLng: "en", interpolation: { escapeValue: false } });

function Greeting() {
  const { t } = useTranslation();
  return <button onClick={() => i18n.changeLanguage("de")}>{t("greeting", { name: "Ada" })}</button>;
}

export default () => (
  <I18nextProvider i18n={i18n}>
    <Greeting />
  </I18nextProvider>
);
