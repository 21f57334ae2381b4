import type { Site } from "@colonnade/kit";

import { signupOf } from "../site.js";

const NO_RECIPIENT = "no one at present: sign-up is not configured";
const NO_PARTNER = "no partner at present";

/** Facts that a text can name in braces, such as `{brand}`, and their values. */
const FACTS = {
  brand: (site) => site.brand,
  contact: (site) => site.contact,
  legalEntity: (site) => site.facts.legalEntity,
  origin: (site) => site.origin,
  processingCountry: (site) => site.facts.processingCountry,
  retention: (site) => site.facts.retention,
  governingLaw: (site) => site.facts.governingLaw,
  signupRecipient: (site) => signupOf(site).host ?? NO_RECIPIENT,
  partnerName: (site) => site.integrations.partner?.name ?? NO_PARTNER,
} satisfies Record<string, (site: Site) => string>;

/**
 * Returns the value of a site fact.
 *
 * @throws Error if the fact is unknown. The message lists the known facts.
 */
export function factOf(name: string, site: Site): string {
  if (!Object.hasOwn(FACTS, name)) {
    throw new Error(`unknown site fact {${name}}; expected one of ${Object.keys(FACTS).join(", ")}`);
  }
  return FACTS[name as keyof typeof FACTS](site);
}

/**
 * Replaces each `{name}` in a text, such as a front matter value, with the value of that site fact.
 *
 * @throws Error if a fact is unknown.
 */
export function fillFacts(text: string, site: Site): string {
  return text.replace(/\{([a-zA-Z]+)\}/g, (_, name: string) => factOf(name, site));
}
