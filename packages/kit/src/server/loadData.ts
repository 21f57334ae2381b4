import { loadResults, type Queries, type QueryResult, type QueryResults } from "../queries.js";
import { findNonJson } from "./json.js";
import { queriesProblem, queryPaths } from "./queries.js";

// A result that the gateway did not send.
const MISSING: QueryResult = { ok: false, status: 504 };

/** The data of a page or an extension. */
export interface LoadedData {
  readonly kind: "data";
  readonly data: unknown;
  /** The names of the results that do not fit their schema. */
  readonly invalid: readonly string[];
}

/** The paths of queries, by name. Their results are needed to load the data. */
export interface NeededQueries {
  readonly kind: "queries";
  readonly queries: Readonly<Record<string, string>>;
}

interface Source {
  /** What has the queries, for errors. */
  readonly subject: string;
  readonly queries: Queries;
  /** The results that the gateway sent. Absent until they are known. */
  readonly results: Readonly<Record<string, QueryResult>> | undefined;
  readonly load: (results: QueryResults) => unknown;
}

/**
 * Calls `load` with the validated results of queries. Without the results, returns the queries.
 *
 * @throws Error if the queries are invalid, and what `load` throws.
 */
export async function loadData({ subject, queries, results, load }: Source): Promise<LoadedData | NeededQueries> {
  const problem = queriesProblem(queries);
  if (problem !== null) throw new Error(`queries() of ${subject} ${problem}`);
  if (!results && Object.keys(queries).length > 0) return { kind: "queries", queries: queryPaths(queries) };
  const found = await loadResults(queries, (_, name) => results?.[name] ?? MISSING);
  // Those that have failed only because of their schema.
  const invalid = Object.keys(found).filter((name) => results?.[name]?.ok && !found[name]?.ok);
  return { kind: "data", data: await load(found), invalid };
}

/** @throws Error if JSON would change the value: the browser hydrates from JSON and would render something else. */
export function checkJson(value: unknown, name: string, subject: string): void {
  const found = value === undefined ? null : findNonJson(value);
  if (found === null) return;
  throw new Error(
    `the ${name} of ${subject} does not survive JSON: ${name}${found}; ` +
      "expected strings, finite numbers, booleans, null, and arrays and plain objects of these",
  );
}
