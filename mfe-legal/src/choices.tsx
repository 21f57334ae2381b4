import { signupOf } from "@colonnade/design";
import { useSite, type Site } from "@colonnade/kit";
import { fillFacts, TEXT_COMPONENTS } from "@colonnade/design/text";
import type { ReactElement } from "react";

/** Two sentences, one of which a site fact selects. They may contain fact placeholders in braces. */
interface Choice {
  readonly fact: keyof typeof FACTS;
  readonly yes: string;
  readonly no: string;
}

/** Components that render a text's elements. */
export type TextComponents = typeof TEXT_COMPONENTS;

// The facts that texts can name in a choice.
const FACTS = {
  logsClientIp: (site) => site.logsClientIp,
  hasSignup: (site) => signupOf(site).host !== null,
} satisfies Record<string, (site: Site) => boolean>;

const SiteFact = TEXT_COMPONENTS["site-fact"];

/**
 * Returns the components of a text with the front matter key `choices`. A choice's name in braces renders the sentence
 * that is true for this site.
 *
 * @throws Error naming an invalid choice.
 */
export function componentsWith(choices: unknown): TextComponents {
  if (typeof choices !== "object" || choices === null)
    throw new Error(`"choices" is not a table; expected one entry per choice`);
  const choicesByName = new Map<string, Choice>();
  for (const [name, choice] of Object.entries(choices)) {
    if (!isChoice(choice))
      throw new Error(
        `"choices": ${name} is invalid; expected the strings "yes" and "no" and a "fact" out of ${Object.keys(FACTS).join(", ")}`,
      );
    choicesByName.set(name, choice);
  }
  function ChoiceOrFact({ name }: { readonly name: string }): ReactElement {
    const site = useSite();
    const choice = choicesByName.get(name);
    if (!choice) return <SiteFact name={name} />;
    return <>{fillFacts(FACTS[choice.fact](site) ? choice.yes : choice.no, site)}</>;
  }
  return { ...TEXT_COMPONENTS, "site-fact": ChoiceOrFact };
}

function isChoice(value: unknown): value is Choice {
  if (typeof value !== "object" || value === null) return false;
  const { fact, yes, no } = value as Readonly<Record<string, unknown>>;
  return typeof fact === "string" && Object.hasOwn(FACTS, fact) && typeof yes === "string" && typeof no === "string";
}
