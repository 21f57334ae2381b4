import type { Facts } from "@colonnade/kit";

import { UsageError } from "./usageError.js";

// What the check renders with in place of a fact of each type. A string is the fact's name.
const PLACEHOLDERS = { number: 1, boolean: true } as const;

/** The type of one value. */
type Scalar = "string" | keyof typeof PLACEHOLDERS;

/** The type of a fact. That of a list is the type of its elements with `[]`. */
export type FactType = "string" | "number" | "boolean" | "string[]" | "number[]" | "boolean[]";

/**
 * The site's facts that a package reads, by name. Where the program declares `interface Facts` of the kit, the type of a fact is
 * the declared one. Other names are allowed, too.
 */
export type FactTypes = Readonly<Record<string, FactType>> & {
  readonly [Name in keyof Facts]?: NonNullable<Facts[Name]> extends string
    ? "string"
    : NonNullable<Facts[Name]> extends number
      ? "number"
      : NonNullable<Facts[Name]> extends boolean
        ? "boolean"
        : NonNullable<Facts[Name]> extends readonly string[]
          ? "string[]"
          : NonNullable<Facts[Name]> extends readonly number[]
            ? "number[]"
            : NonNullable<Facts[Name]> extends readonly boolean[]
              ? "boolean[]"
              : FactType;
};

const NAME = /^[a-zA-Z][a-zA-Z0-9_]{0,63}$/;
const SCALARS: readonly Scalar[] = ["string", "number", "boolean"];
const TYPES: readonly string[] = [...SCALARS, ...SCALARS.map((type) => `${type}[]`)];

/** @throws UsageError if the value of the key `facts` is invalid. */
export function checkFacts(file: string, facts: unknown): asserts facts is FactTypes {
  if (typeof facts !== "object" || facts === null || Array.isArray(facts))
    throw new UsageError(`${file}: facts is ${JSON.stringify(facts)}; expected { name: type }`);
  for (const [name, type] of Object.entries(facts)) {
    if (!NAME.test(name))
      throw new UsageError(
        `${file}: facts has the name ${JSON.stringify(name)}; expected a letter followed by up to 63 letters, digits and "_"`,
      );
    if (!TYPES.includes(type as string))
      throw new UsageError(`${file}: facts.${name} is ${JSON.stringify(type)}; expected one of ${TYPES.join(", ")}`);
  }
}

/** Facts of these types, for the check. A list has one element. */
export function placeholderFacts(facts: FactTypes = {}): Facts {
  return Object.fromEntries(Object.entries(facts).map(([name, type]) => [name, placeholderOf(name, type)])) as Facts;
}

function placeholderOf(name: string, type: FactType): unknown {
  const scalar = type.replace("[]", "") as Scalar;
  const value = scalar === "string" ? name : PLACEHOLDERS[scalar];
  return type.endsWith("[]") ? [value] : value;
}
