import { useSite, type SiteFacts } from "@colonnade/kit";
import { fillFacts, TEXT_COMPONENTS } from "@colonnade/kit/text";
import type { ReactElement } from "react";

/** The two sentences between which a fact of the site decides. They may name facts in braces themselves. */
interface Choice {
  readonly fact: keyof typeof FACTS;
  readonly yes: string;
  readonly no: string;
}

/** What a text's elements become. */
export type TextComponents = typeof TEXT_COMPONENTS;

// What may decide, by the name that a text gives it.
const FACTS = {
  logsAddresses: (site) => site.logsAddresses,
  hasSignup: (site) => site.signup.host !== null,
} satisfies Record<string, (site: SiteFacts) => boolean>;

const SiteFact = TEXT_COMPONENTS["site-fact"];

/**
 * The components of a text whose front matter holds `choices`: where the text names one in braces, the sentence stands
 * that is true on this site.
 *
 * @throws Error naming the choice that is none.
 */
export function componentsWith(choices: unknown): TextComponents {
  if (typeof choices !== "object" || choices === null) throw new Error(`"choices" is no table`);
  const known = new Map<string, Choice>();
  for (const [name, choice] of Object.entries(choices)) {
    if (!isChoice(choice))
      throw new Error(`"choices": ${name} needs a "fact" of ${Object.keys(FACTS).join(", ")}, a "yes" and a "no"`);
    known.set(name, choice);
  }
  function ChoiceOrFact({ name }: { readonly name: string }): ReactElement {
    const site = useSite();
    const choice = known.get(name);
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
