import type { Facts } from "@colonnade/kit";

import { UsageError } from "./usageError.js";

/** The type of a fact. */
export type FactType = "string" | "number" | "boolean" | "list";

/** The site's facts that a package reads, by name. */
export type FactTypes = Readonly<Record<string, FactType>>;

const NAME = /^[a-zA-Z][a-zA-Z0-9_]{0,63}$/;

// What the check renders with in place of a fact of each type. A string is its name.
const PLACEHOLDERS = { number: 1, boolean: true, list: [] };

const TYPES: readonly string[] = ["string", ...Object.keys(PLACEHOLDERS)];

/** @throws UsageError if the value of the key `facts` is invalid. */
export function checkFacts(file: string, facts: unknown): asserts facts is FactTypes {
  const entries = typeof facts === "object" && facts !== null ? Object.entries(facts) : [];
  const isValid = entries.every(([name, type]) => NAME.test(name) && TYPES.includes(type as string));
  if (typeof facts !== "object" || facts === null || Array.isArray(facts) || !isValid)
    throw new UsageError(
      `${file}: facts is ${JSON.stringify(facts)}; expected { name: type }, each type one of ${TYPES.join(", ")}`,
    );
}

/** Facts of these types, for the check. */
export function placeholderFacts(facts: FactTypes = {}): Facts {
  const values = Object.entries(facts).map(([name, type]) => [name, type === "string" ? name : PLACEHOLDERS[type]]);
  return Object.fromEntries(values) as Facts;
}
