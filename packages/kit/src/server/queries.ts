import type { Queries, Query } from "../queries.js";
import { isSiteUrl } from "./siteUrl.js";

/** The gateway runs at most this number of queries for a page. */
const MAX_QUERIES = 8;

const MAX_NAME_BYTES = 64;
const CONTROL = /\p{Cc}/u;
const EXPECTED = "expected an object with a path below /api/, or query(path, schema), for each name";

/** Finds what is wrong with the result of a page's `queries`, such as `has 9 queries; expected at most 8`. Null if nothing is. */
export function queriesProblem(queries: unknown): string | null {
  if (typeof queries !== "object" || queries === null || Array.isArray(queries)) return `is not an object; ${EXPECTED}`;
  const entries = Object.entries(queries as Record<string, unknown>);
  if (entries.length > MAX_QUERIES)
    return `has ${String(entries.length)} queries; expected at most ${String(MAX_QUERIES)}`;
  for (const [name, query] of entries) {
    if (name === "" || new TextEncoder().encode(name).length > MAX_NAME_BYTES || CONTROL.test(name))
      return `has the name ${JSON.stringify(name)}; expected 1 to ${String(MAX_NAME_BYTES)} bytes without control characters`;
    if (!isQuery(query)) return `has no query "${name}"; ${EXPECTED}`;
    const path = queryPath(query);
    if (!isApiPath(path))
      return `has the path ${JSON.stringify(path)} of the query "${name}"; expected a path below /api/, percent-encoded`;
  }
  return null;
}

function queryPath(query: string | Query<unknown>): string {
  return typeof query === "string" ? query : query.path;
}

function isQuery(query: unknown): query is string | Query<unknown> {
  if (typeof query === "string") return true;
  const { path, schema } = (query ?? {}) as Partial<Query<unknown>>;
  return typeof path === "string" && typeof schema?.["~standard"].validate === "function";
}

function isApiPath(path: string): boolean {
  return /^\/api\/[^/?]/.test(path) && isSiteUrl(path);
}

/** Returns the paths of queries, by name. */
export function queryPaths(queries: Queries): Record<string, string> {
  return Object.fromEntries(Object.entries(queries).map(([name, query]) => [name, queryPath(query)]));
}
