import type { AnyExtensionPoint } from "../extension.js";
import { isNotFound, type NotFound } from "../notFound.js";
import { type AnyPage, type FormResult, type Head, type Layout } from "../page.js";
import { matchPath, type Params } from "../paths.js";
import type { QueryResult } from "../queries.js";
import { isRedirect } from "../redirect.js";
import type { Section } from "../section.js";
import type { Site } from "../site.js";
import { checkJson, loadData, type NeededQueries } from "./loadData.js";
import { isSiteUrl } from "./siteUrl.js";

/** Which page to load. */
export interface PageRequest {
  /** Percent-encoded, without the query. */
  readonly path: string;
  /** Query, without the question mark. */
  readonly search?: string;
  readonly page: { readonly section: string; readonly pattern: string };
  /** The result of a form post, in its response. */
  readonly form?: FormResult;
  /** The results of the page's queries, by name. Absent until they are known. */
  readonly results?: Readonly<Record<string, QueryResult>>;
}

/** A page with everything its component needs, or what precedes or replaces it. */
export type LoadedPage =
  | NeededQueries
  | (WithResults & ({ readonly kind: "redirect"; readonly path: string } | ({ readonly kind: "notFound" } & NotFound)))
  | (WithResults & {
      readonly kind: "page";
      readonly Component: AnyPage["Component"];
      readonly props: { readonly data: never; readonly form?: FormResult };
      readonly params: Params;
      /** Values of its query parameters. Absent if it declares none. */
      readonly search?: object;
      readonly head: Head;
      readonly layout: Layout;
      /** The extension points that it may show. */
      readonly extensionPoints: readonly AnyExtensionPoint[];
    });

interface WithResults {
  /** Names of the query parameters that the page declares. Absent if it declares none. */
  readonly searchNames?: readonly string[];
  /** The names of the results that do not fit their schema. */
  readonly invalid: readonly string[];
}

/**
 * Runs `queries`, `data`, `head` and `layout` of the page at a path. Without the results of its queries, runs only `queries`.
 *
 * @throws Error if the section has no such page, if its queries are invalid, if JSON would change the data, and what the page
 *   throws.
 */
export async function loadPage(section: Section, request: PageRequest, site: Site): Promise<LoadedPage> {
  const { path, search: query = "", page, form, results } = request;
  const load = section.pages[page.pattern];
  const params = matchPath(page.pattern, path);
  if (!load || !params) throw new Error(`the section "${page.section}" has no page "${page.pattern}" for ${path}`);
  const { page: code } = await load();
  const subject = `the page "${page.pattern}" of the section "${page.section}" at ${path}`;
  const search = (await code.search?.read(`?${query}`)) ?? {};
  const names = code.search && { searchNames: code.search.names };
  if (isNotFound(search)) return { kind: "notFound", ...search, invalid: [], ...names };
  checkJson(search, "search", subject);
  const context = { params, search, site };
  const loaded = await loadData({
    subject,
    queries: code.queries?.(context) ?? {},
    results,
    load: (found) => code.data({ ...context, results: found }),
  });
  if (loaded.kind === "queries") return loaded;
  const common = { invalid: loaded.invalid, ...names };
  const data = loaded.data as never;
  if (isNotFound(data)) return { kind: "notFound", ...(data as NotFound), ...common };
  if (isRedirect(data))
    return { kind: "redirect", path: checkedLocation(subject, (data as { path: string }).path), ...common };
  checkJson(data, "data", subject);
  const props = { data, ...(form && { form }) };
  return {
    kind: "page",
    ...common,
    Component: code.Component,
    props,
    params,
    ...(code.search && { search }),
    head: code.head({ ...props, search: search as never, site }),
    layout: code.layout?.({ data }) ?? {},
    extensionPoints: code.extensionPoints ?? [],
  };
}

/** @throws Error if the path of a redirect is not one of this site. */
function checkedLocation(subject: string, location: string): string {
  const [url = "", fragment = ""] = location.split(/#(.*)/s);
  if (isSiteUrl(url) && isSiteUrl(`/?${fragment}`)) return location;
  throw new Error(
    `data() of ${subject} redirects to ${JSON.stringify(location)}; expected a percent-encoded path of this site`,
  );
}
