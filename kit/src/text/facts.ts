import type { SiteFacts } from "../site.js";

const NOBODY = "no one at present: sign-up is not configured";
const NO_PARTNER = "no partner at present";

/** What a writer may name in braces, such as `{brand}`, and what stands there on a site. */
const FACTS = {
  brand: (site) => site.brand,
  contact: (site) => site.contact,
  legalEntity: (site) => site.legalEntity,
  origin: (site) => site.origin,
  processingCountry: (site) => site.processingCountry,
  retention: (site) => site.retention,
  governingLaw: (site) => site.governingLaw,
  signupRecipient: (site) => site.signup.host ?? NOBODY,
  partnerName: (site) => site.partner?.name ?? NO_PARTNER,
} satisfies Record<string, (site: SiteFacts) => string>;

/**
 * The value of a fact.
 *
 * @throws Error when a text names a fact there is none of.
 */
export function factOf(name: string, site: SiteFacts): string {
  if (!Object.hasOwn(FACTS, name)) {
    throw new Error(`a text names {${name}}; known are ${Object.keys(FACTS).join(", ")}`);
  }
  return FACTS[name as keyof typeof FACTS](site);
}

/** A text of the front matter with its facts filled in. */
export function fillFacts(text: string, site: SiteFacts): string {
  return text.replace(/\{([a-zA-Z]+)\}/g, (_, name: string) => factOf(name, site));
}
