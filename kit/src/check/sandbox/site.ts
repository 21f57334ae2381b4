import type { SiteFacts } from "../../site.js";

/** Placeholder facts. The release contains none of them, because it must work with any configuration. */
export const PLACEHOLDER_SITE: SiteFacts = {
  brand: "Site",
  origin: "https://site.invalid",
  contact: "contact@site.invalid",
  legalEntity: "Entity",
  processingCountry: "Country",
  retention: "retention",
  governingLaw: "Law",
  logsClientIp: false,
  navigation: { menu: [], footer: [] },
  signup: { page: "/signup", success: "/success", host: null, redirectHosts: [] },
  partner: null,
  today: "2000-01-01",
};
