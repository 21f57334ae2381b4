/**
 * What the bundled site keeps in the session storage of a tab. No other module of it uses web storage, and the privacy policy lists
 * each key.
 *
 * @module tab
 */
export { citiesInTab, type TabCity } from "./cities.js";
export { tabKeys } from "./keys.js";
export { recordSentForm, sentForms, type SentForm, type SentResult } from "./sent.js";
export {
  CLOSED,
  readTab,
  readTabJson,
  removeFromTab,
  TAB_CHANGED,
  TAB_KEYS,
  writeTab,
  type TabKey,
} from "./storage.js";
