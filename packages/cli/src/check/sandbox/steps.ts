// Steps that the check of a page and the check of an extension share.
import type { Queries, QueryResult } from "@colonnade/kit";
import { findNonJson, queriesProblem, queryPaths } from "@colonnade/kit/server";
import type { StepResult } from "./violation.js";

/** The result of a query whose upstream is unavailable. */
export const UNAVAILABLE: QueryResult = { ok: false, status: 503 };

/** Finds what is wrong in queries. `run` returns them; `subject` has them, for messages. */
export function queriesViolation(queries: Queries, run: () => Queries, subject: string): StepResult {
  const problem = queriesProblem(queries);
  if (problem !== null) return { code: "COL160", problem: `${subject} ${problem}` };
  if (JSON.stringify(queryPaths(run())) === JSON.stringify(queryPaths(queries))) return null;
  return { code: "COL161", problem: `${subject} returns other paths when it runs again` };
}

/** Finds what JSON would change in data. */
export function jsonViolation(data: unknown, subject: string): StepResult {
  const found = data === undefined ? null : findNonJson(data);
  if (found === null) return null;
  return {
    code: "COL112",
    problem: `the data of ${subject} is not JSON-serializable; expected only null, booleans, finite numbers, strings, arrays and plain objects`,
    advice: `data${found}. Return only what JSON keeps: convert dates to strings, maps to arrays, and leave out undefined.`,
  };
}

/** Finds that what a render returns has more bytes of JSON than `max`. It must be JSON. */
export function sizeViolation(rendered: unknown, max: number, subject: string): StepResult {
  const { length } = new TextEncoder().encode(JSON.stringify(rendered));
  if (length <= max) return null;
  const problem = `${subject} and its data have ${String(length)} bytes; expected at most ${String(max)}`;
  return { code: "COL113", problem };
}
