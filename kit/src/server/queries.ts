import { isSitePath } from "../paths.js";
import { queryPath, type Queries, type Query } from "../queries.js";

/** The gateway runs at most this number of queries for a page. */
export const MAX_QUERIES = 8;

const EXPECTED = "expected an object with a path below /api/, or query(path, schema), for each name";

/** Finds what is wrong with the result of a page's `queries`, such as `has 9 queries; expected at most 8`. Null if nothing is. */
export function queriesProblem(queries: unknown): string | null {
  if (typeof queries !== "object" || queries === null || Array.isArray(queries)) return `is not an object; ${EXPECTED}`;
  const entries = Object.entries(queries as Record<string, unknown>);
  if (entries.length > MAX_QUERIES)
    return `has ${String(entries.length)} queries; expected at most ${String(MAX_QUERIES)}`;
  for (const [name, query] of entries) {
    if (!isQuery(query)) return `has no query "${name}"; ${EXPECTED}`;
    const path = queryPath(query);
    if (!isApiPath(path))
      return `has the path ${JSON.stringify(path)} of the query "${name}"; expected a path below /api/, percent-encoded`;
  }
  return null;
}

function isQuery(query: unknown): query is string | Query<unknown> {
  if (typeof query === "string") return true;
  const { path, schema } = (query ?? {}) as Partial<Query<unknown>>;
  return typeof path === "string" && typeof schema?.["~standard"].validate === "function";
}

function isApiPath(path: string): boolean {
  const [, pathname = "", search = ""] = /^([^?]*)(.*)$/s.exec(path) ?? [];
  return pathname.startsWith("/api/") && isSitePath(pathname) && /^[!-"$-~]*$/.test(search);
}

/** Returns the paths of queries, by name. */
export function queryPaths(queries: Queries): Record<string, string> {
  return Object.fromEntries(Object.entries(queries).map(([name, query]) => [name, queryPath(query)]));
}
