import type { Site } from "@colonnade/kit";

/** A site for renders of the check. A release contains none of its values, because it must work with any configuration. */
export const PLACEHOLDER_SITE: Site = {
  brand: "Site",
  origin: "https://site.invalid",
  contact: "contact@site.invalid",
  language: "en",
  logsClientIp: false,
  navigation: { menu: [], footer: [] },
  facts: {},
  integrations: {},
  today: "2000-01-01",
};
