import type { Facts, SectionConfiguration } from "@colonnade/kit";

import { UsageError } from "./usageError.js";

// What the check renders with in place of a value of each type. A string is the value's name.
const PLACEHOLDERS = { number: 1, boolean: true } as const;

/** The type of one value. */
type Scalar = "string" | keyof typeof PLACEHOLDERS;

/** The type of a fact, or of a value of a section's configuration. That of a list is the type of its elements with `[]`. */
export type FactType = "string" | "number" | "boolean" | "string[]" | "number[]" | "boolean[]";

/**
 * The facts of the site that a package reads, by name, or the values of its section's configuration, as `FactTypes<Config>`
 * with the section's own type of them. The type of a value is the one in `Values`, for facts those that the program declares in
 * `interface Facts` of the kit. Other names are allowed, too.
 */
export type FactTypes<Values = Facts> = Readonly<Record<string, FactType>> & {
  readonly [Name in keyof Values]?: NonNullable<Values[Name]> extends string
    ? "string"
    : NonNullable<Values[Name]> extends number
      ? "number"
      : NonNullable<Values[Name]> extends boolean
        ? "boolean"
        : NonNullable<Values[Name]> extends readonly string[]
          ? "string[]"
          : NonNullable<Values[Name]> extends readonly number[]
            ? "number[]"
            : NonNullable<Values[Name]> extends readonly boolean[]
              ? "boolean[]"
              : FactType;
};

/** What a package reads of the operator's configuration. */
export interface ReadSettings {
  readonly facts: Facts;
  readonly config: SectionConfiguration;
}

const NAME = /^[a-zA-Z][a-zA-Z0-9_]{0,63}$/;
const SCALARS: readonly Scalar[] = ["string", "number", "boolean"];
const TYPES: readonly string[] = [...SCALARS, ...SCALARS.map((type) => `${type}[]`)];

/** @throws UsageError if the value of a key is not an object with the types of values. */
export function checkTypes(file: string, key: keyof ReadSettings, types: unknown): asserts types is FactTypes {
  if (typeof types !== "object" || types === null || Array.isArray(types))
    throw new UsageError(`${file}: ${key} is ${JSON.stringify(types)}; expected { name: type }`);
  for (const [name, type] of Object.entries(types)) {
    if (!NAME.test(name))
      throw new UsageError(
        `${file}: ${key} has the name ${JSON.stringify(name)}; expected a letter followed by up to 63 letters, digits and "_"`,
      );
    if (!TYPES.includes(type as string))
      throw new UsageError(`${file}: ${key}.${name} is ${JSON.stringify(type)}; expected one of ${TYPES.join(", ")}`);
  }
}

/** Values of the types that a package lists, for the check. A list has one element. */
export function placeholderSettings({
  facts = {},
  config = {},
}: {
  readonly [Key in keyof ReadSettings]?: FactTypes<ReadSettings[Key]> | undefined;
} = {}): ReadSettings {
  return { facts: placeholders(facts), config: placeholders(config) };
}

function placeholders(types: Readonly<Record<string, FactType>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(types).map(([name, type]) => [name, placeholderOf(name, type)]));
}

function placeholderOf(name: string, type: FactType): unknown {
  const scalar = type.replace("[]", "") as Scalar;
  const value = scalar === "string" ? name : PLACEHOLDERS[scalar];
  return type.endsWith("[]") ? [value] : value;
}
