import type { Site } from "@colonnade/kit";

import { recipientOf } from "../site.js";

const NO_RECIPIENT = "no one at present: sign-up is not configured";
const NO_PARTNER = "no partner at present";

/** What a text can name in braces: facts of the site, and who gets a sign-up. */
function valuesOf(site: Site): Readonly<Record<string, unknown>> {
  const { brand, contact, origin, facts, integrations } = site;
  return {
    ...{ brand, contact, origin, ...facts },
    signupRecipient: recipientOf(site) ?? NO_RECIPIENT,
    partnerName: integrations.partner?.name ?? NO_PARTNER,
  };
}

/**
 * Returns the value of a site fact.
 *
 * @throws Error if the fact is unknown. The message lists the known facts.
 */
export function factOf(name: string, site: Site): string {
  const values = valuesOf(site);
  if (Object.hasOwn(values, name)) return String(values[name]);
  throw new Error(`unknown site fact {${name}}; expected one of ${Object.keys(values).join(", ")}`);
}

/**
 * Replaces each `{name}` in a text, such as a front matter value, with the value of that site fact.
 *
 * @throws Error if a fact is unknown.
 */
export function fillFacts(text: string, site: Site): string {
  return text.replace(/\{([a-zA-Z]+)\}/g, (_, name: string) => factOf(name, site));
}
