import type { QueryResult } from "@colonnade/kit";

import { queryUrl, runQueries, type ApiRoutes } from "../dev/queries.js";
import { problemOf, type Problem } from "./problem.js";
import type { CheckTask, GivenResults, Report, Subject } from "./report.js";

/** Pages and extensions to check with results of a site or of other APIs. */
export interface SiteResults {
  readonly tasks: readonly CheckTask[];
  /** A warning for each query that fails. */
  readonly problems: readonly Problem[];
}

/** A failure of the site or an API, and not the answer that something does not exist. */
const isUnavailable = (result: QueryResult): boolean => !result.ok && (result.status < 400 || result.status >= 500);

/** Runs the queries that a check reports, each set of them once, if all of them have a URL. */
export async function readResults(reports: readonly Report[], routes: ApiRoutes): Promise<SiteResults> {
  const found = reports.flatMap((report) => (report.kind === "queries" ? [report] : []));
  const distinct = new Map(found.map(({ subject, queries }) => [JSON.stringify(subject), { subject, queries }]));
  const problems: Problem[] = [];
  const given = new Map<string, GivenResults[]>();
  for (const { subject, queries } of distinct.values()) {
    const urls = Object.entries(queries).map(([name, path]) => [name, queryUrl(routes, path)] as const);
    if (urls.length === 0 || urls.some(([, url]) => url === undefined)) continue;
    const results = await runQueries(routes, queries);
    const failed = urls.filter(([name]) => isUnavailable(results[name] ?? { ok: false, status: 0 }));
    for (const [name, url] of failed) problems.push(unavailable(subject, name, url ?? "", results[name]));
    const key = "path" in subject ? subject.pattern : subject.point;
    if (failed.length === 0) given.set(key, [...(given.get(key) ?? []), { subject, results }]);
  }
  const tasks = [...given].map(([key, all]): CheckTask => {
    const isPage = all.every(({ subject }) => "path" in subject);
    return isPage
      ? { pattern: key, given: all }
      : { pattern: null, extension: { point: key, examples: [] }, given: all };
  });
  return { tasks, problems };
}

/** Warns of pages and extensions whose queries fail in each step. `given` has those that are also checked with other results. */
export function findWithoutResults(
  reports: readonly Report[],
  given: readonly CheckTask[],
  positionOf: (stack: string) => string | undefined,
): Problem[] {
  const sources = new Set(given.map(({ pattern, extension }) => pattern ?? extension?.point));
  return reports.flatMap((report) => {
    if (report.kind !== "noExamples" || sources.has(report.source)) return [];
    const name = `the ${report.isExtension ? "extension" : "page"} "${report.source}"`;
    const message = `${name} has queries, but no examples: its data runs only with failed queries`;
    return [problemOf("COL164", message, positionOf(report.stack))];
  });
}

function unavailable(subject: Subject, name: string, url: string, result: QueryResult | undefined): Problem {
  const where = "path" in subject ? `${subject.path} (page ${subject.pattern})` : `the extension ${subject.point}`;
  const status = result?.ok === false ? result.status : 0;
  const message = `the query "${name}" of ${where} failed with status ${String(status)}: ${url}`;
  const advice = "Start the API, correct the URL, or ask the operator of the site for an upstream of this path.";
  return problemOf("COL164", message, undefined, advice);
}
