import { Link, notFound, type LinkProps } from "@colonnade/kit";
import type { StandardSchemaV1 } from "@standard-schema/spec";
import type { ReactElement } from "react";

import type { Search } from "../page.js";

// As JavaScript counts them. The gateway has the same limit.
const MAX_VALUE_CHARS = 200;

/** A schema for each parameter, of any library that implements Standard Schema. */
export type SearchSchemas = Readonly<Record<string, StandardSchemaV1>>;

/** The values that schemas return, by name. */
export type SearchOf<S extends SearchSchemas> = {
  readonly [Name in keyof S]: StandardSchemaV1.InferOutput<S[Name]>;
};

/** A value that a URL can have. */
type Scalar = string | number | boolean;

/** The values that make a URL, by name. Those whose schemas have undefined in their input type are optional. */
export type SearchValues<S extends SearchSchemas> = {
  readonly [
    Name in keyof S as undefined extends StandardSchemaV1.InferInput<S[Name]> ? never : Name
  ]: SearchOf<S>[Name] & Scalar;
} & {
  readonly [Name in keyof S as undefined extends StandardSchemaV1.InferInput<S[Name]> ? Name : never]?:
    (SearchOf<S>[Name] & Scalar) | undefined;
};

/** Props of `Link` of a {@link DefinedSearch}. */
export interface SearchLinkProps<S extends SearchSchemas> extends LinkProps {
  /** Values of the query parameters. They replace those of a query in `to`, whose other declared parameters stay. */
  readonly search: SearchValues<S>;
}

/** The query parameters of a page. */
export interface DefinedSearch<S extends SearchSchemas> extends Search<SearchOf<S>> {
  /** A link to the page with these parameters: the `Link` of the kit, whose `href` is that of `path`. */
  readonly Link: (props: SearchLinkProps<S>) => ReactElement;
  /**
   * A path with these parameters in their canonical form, where code needs no link, such as for `canonical` of a head,
   * `redirect()` and `useNavigate()`: sorted, and percent-encoded. One that is undefined, or the default of its schema, is
   * left out. Declared parameters that only the path has stay, and its others are left out. A fragment of the path stays
   * the last.
   */
  path(path: string, values: SearchValues<S>): string;
}

/** The value of a text that is written as a number, `true` or `false`. Undefined for other texts. */
function literalOf(text: string | undefined): number | boolean | undefined {
  if (text === "true" || text === "false") return text === "true";
  const number = Number(text);
  return Number.isFinite(number) && String(number) === text ? number : undefined;
}

/** Whether a value is that without a parameter. An asynchronous schema has none. */
function isDefault(schema: StandardSchemaV1 | undefined, value: Scalar): boolean {
  const result = schema?.["~standard"].validate(undefined);
  const initial = result && "value" in result ? (result.value as Scalar | undefined) : undefined;
  // The query of a path has texts.
  return initial !== undefined && String(initial) === String(value);
}

/** Also of a text that is cut within a character, which `encodeURIComponent` rejects. */
function encoded(value: Scalar): string {
  return encodeURIComponent(String(value).replaceAll(/\p{Surrogate}/gu, "\ufffd"));
}

/** Validates a text. A number or boolean counts if the schema rejects the text, or returns the number or boolean as it is. */
async function validateText(
  schema: StandardSchemaV1,
  text: string | undefined,
): Promise<StandardSchemaV1.Result<unknown>> {
  const validate = schema["~standard"].validate;
  const ofText = await validate(text);
  const literal = literalOf(text);
  if (literal === undefined || (!ofText.issues && ofText.value === text)) return ofText;
  const ofLiteral = await validate(literal);
  return !ofLiteral.issues && (ofText.issues || ofLiteral.value === literal) ? ofLiteral : ofText;
}

/**
 * Declares the query parameters of a page: at most eight, by name, each with a schema. A schema gets the text of its
 * parameter, or the number or boolean that is written there, and undefined if the parameter is absent. What it returns is
 * the value, so a default of the schema is one of the parameter. A link has the value, so a schema returns what it has
 * returned as it is. The page is not found if a schema rejects its parameter, or if a parameter is repeated or has more
 * than 200 characters. All other parameters are ignored.
 *
 * @example
 * ```tsx
 * import { definePage } from "@colonnade/kit";
 * import { defineSearch } from "@colonnade/kit/search";
 * import * as v from "valibot";
 *
 * const search = defineSearch({ page: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1)), 1) });
 *
 * export const page = definePage({
 *   search,
 *   data: ({ search: { page } }) => ({ page }),
 *   head: ({ data }) => ({ title: "Events", description: "Events", canonical: search.path("/events", data) }),
 *   Component: ({ data }) => (
 *     <>
 *       <h1>Events, page {data.page}</h1>
 *       <search.Link to="/events" search={{ page: data.page + 1 }}>
 *         Next page
 *       </search.Link>
 *     </>
 *   ),
 * });
 * ```
 */
export function defineSearch<const S extends SearchSchemas>(schemas: S): DefinedSearch<S> {
  const pathWith = (path: string, values: SearchValues<S>): string => {
    const [, target = "", query = "", fragment = ""] = /^([^?#]*)([^#]*)(.*)$/s.exec(path) ?? [];
    const given = [...new URLSearchParams(query)].filter(([name]) => Object.hasOwn(schemas, name));
    const all: Record<string, Scalar | undefined> = { ...Object.fromEntries(given), ...values };
    const pairs = Object.entries(all).flatMap(([name, value]) =>
      value === undefined || isDefault(schemas[name], value) ? [] : `${name}=${encoded(value)}`,
    );
    return (pairs.length > 0 ? `${target}?${pairs.sort().join("&")}` : target) + fragment;
  };
  return {
    names: Object.keys(schemas),
    async read(url) {
      const given = new URLSearchParams(url.replace(/^[^?]*/, ""));
      const values: Record<string, unknown> = {};
      for (const [name, schema] of Object.entries(schemas)) {
        const [text, ...repeated] = given.getAll(name);
        if (repeated.length > 0 || (text ?? "").length > MAX_VALUE_CHARS) return notFound();
        const validated = await validateText(schema, text);
        if (validated.issues) return notFound();
        // JSON has no undefined.
        if (validated.value !== undefined) values[name] = validated.value;
      }
      return values as SearchOf<S>;
    },
    Link: ({ to, search, ...rest }) => <Link to={pathWith(to, search)} {...rest} />,
    path: pathWith,
  };
}
