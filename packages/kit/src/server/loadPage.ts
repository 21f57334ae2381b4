import { isNotFound } from "../notFound.js";
import { type AnyPage, type FormResult, type Head, type Layout } from "../page.js";
import { matchPath, type Params } from "../paths.js";
import { loadResults, type Queries, type QueryResult, type QueryResults } from "../queries.js";
import { isRedirect } from "../redirect.js";
import type { Section } from "../section.js";
import type { Site } from "../site.js";
import { findNonJson } from "./json.js";
import { queriesProblem, queryPaths } from "./queries.js";
import { isSiteUrl } from "./siteUrl.js";

/** Which page to load. */
export interface PageRequest {
  /** Percent-encoded, without the query. */
  readonly path: string;
  readonly page: { readonly section: string; readonly pattern: string };
  /** The result of a form post, in its response. */
  readonly form?: FormResult;
  /** The results of the page's queries, by name. Absent until they are known. */
  readonly results?: Readonly<Record<string, QueryResult>>;
}

/** A page with everything its component needs, or what precedes or replaces it. */
export type LoadedPage =
  /** The paths of the page's queries, by name. Their results are needed to load the page. */
  | { readonly kind: "queries"; readonly queries: Readonly<Record<string, string>> }
  | (WithResults &
      ({ readonly kind: "redirect"; readonly path: string } | { readonly kind: "notFound"; readonly heading: string }))
  | (WithResults & {
      readonly kind: "page";
      readonly Component: AnyPage["Component"];
      readonly props: { readonly data: never; readonly form?: FormResult };
      readonly params: Params;
      readonly head: Head;
      readonly layout: Layout;
    });

interface WithResults {
  /** The names of the results that do not fit their schema. */
  readonly invalid: readonly string[];
}

// A result that the gateway did not send.
const MISSING: QueryResult = { ok: false, status: 504 };

/**
 * Runs `queries`, `data`, `head` and `layout` of the page at a path. Without the results of its queries, runs only `queries`.
 *
 * @throws Error if the section has no such page, if its queries are invalid, if JSON would change the data, and what the page
 *   throws.
 */
export async function loadPage(section: Section, request: PageRequest, site: Site): Promise<LoadedPage> {
  const { path, page, form, results } = request;
  const load = section.pages[page.pattern];
  const params = matchPath(page.pattern, path);
  if (!load || !params) throw new Error(`the section "${page.section}" has no page "${page.pattern}" for ${path}`);
  const { page: code } = await load();
  const queries = code.queries?.({ params, site }) ?? {};
  checkQueries(request, queries);
  if (!results && Object.keys(queries).length > 0) return { kind: "queries", queries: queryPaths(queries) };
  const found = await loadResults(queries, (_, name) => results?.[name] ?? MISSING);
  const invalid = invalidResults(results, found);
  const data = (await code.data({ params, site, results: found })) as never;
  if (isNotFound(data)) return { kind: "notFound", heading: (data as { heading: string }).heading, invalid };
  if (isRedirect(data))
    return { kind: "redirect", path: checkedLocation(request, (data as { path: string }).path), invalid };
  checkData(request, data);
  return {
    kind: "page",
    invalid,
    Component: code.Component,
    props: { data, ...(form && { form }) },
    params,
    head: code.head({ data, site }),
    layout: code.layout?.({ data }) ?? {},
  };
}

/** The names of the results that have failed only because of their schema. */
function invalidResults(received: PageRequest["results"], validated: QueryResults): string[] {
  return Object.keys(validated).filter((name) => received?.[name]?.ok && !validated[name]?.ok);
}

/** @throws Error if the queries are invalid. */
function checkQueries({ path, page: { section, pattern } }: PageRequest, queries: Queries): void {
  const problem = queriesProblem(queries);
  if (problem !== null)
    throw new Error(`queries() of the page "${pattern}" of the section "${section}" at ${path} ${problem}`);
}

/** @throws Error if the path of a redirect is not one of this site. */
function checkedLocation({ path, page: { section, pattern } }: PageRequest, location: string): string {
  const [url = "", fragment = ""] = location.split(/#(.*)/s);
  if (isSiteUrl(url) && isSiteUrl(`/?${fragment}`)) return location;
  throw new Error(
    `data() of the page "${pattern}" of the section "${section}" at ${path} redirects to ${JSON.stringify(location)}; ` +
      "expected a percent-encoded path of this site",
  );
}

/** @throws Error if JSON would change the data: the browser hydrates from JSON and would render something else. */
function checkData({ path, page: { section, pattern } }: PageRequest, data: unknown): void {
  const found = data === undefined ? null : findNonJson(data);
  if (found === null) return;
  throw new Error(
    `the data of the page "${pattern}" of the section "${section}" does not survive JSON at ${path}: data${found}; ` +
      "expected strings, finite numbers, booleans, null, and arrays and plain objects of these",
  );
}
