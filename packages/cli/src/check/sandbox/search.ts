import type { Search } from "@colonnade/kit";

// The gateway has the same limits.
const MAX_PARAMETERS = 8;
const NAME = /^[a-zA-Z][\w-]{0,31}$/;

/** Finds what is wrong with the names of a page's query parameters. Null if nothing is. */
export function searchProblem({ names }: Search): string | null {
  if (names.length > MAX_PARAMETERS)
    return `declares ${String(names.length)} query parameters; expected at most ${String(MAX_PARAMETERS)}`;
  const invalid = names.find((name) => !NAME.test(name));
  return invalid === undefined
    ? null
    : `declares the query parameter ${JSON.stringify(invalid)}; expected a letter, then at most 31 of a-z A-Z 0-9 _ -`;
}

/** The canonical form of a query: the parameters with these names, sorted as text, and percent-encoded. */
export function canonicalSearch(names: readonly string[], query: string): string {
  // The gateway ignores a name without "=".
  const given = query.split("&").filter((pair) => pair.includes("="));
  const pairs = [...new URLSearchParams(given.join("&"))].filter(([name]) => names.includes(name));
  return pairs
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .sort()
    .join("&");
}
