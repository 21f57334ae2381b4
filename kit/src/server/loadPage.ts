import { isNotFound } from "../notFound.js";
import { DEFAULT_LAYOUT, type AnyPage, type FormResult, type Head, type Layout } from "../page.js";
import { matchPath, type Params } from "../paths.js";
import type { Section } from "../section.js";
import type { SiteFacts } from "../site.js";
import { findNonJson } from "./json.js";

/** Which page to load. */
export interface PageRequest {
  /** Percent-encoded, without the query. */
  readonly path: string;
  readonly page: { readonly section: string; readonly pattern: string };
  /** The result of a form post, in its response. */
  readonly form?: FormResult;
}

/** A page with everything its component needs, or the heading of its not-found page. */
export type LoadedPage =
  | { readonly kind: "notFound"; readonly heading: string }
  | {
      readonly kind: "page";
      readonly Component: AnyPage["Component"];
      readonly props: { readonly data: never; readonly form?: FormResult };
      readonly params: Params;
      readonly head: Head;
      readonly layout: Layout;
    };

/**
 * Runs `data`, `head` and `layout` of the page at a path.
 *
 * @throws Error if the section has no such page, if JSON would change the data, and what the page throws.
 */
export async function loadPage(section: Section, request: PageRequest, site: SiteFacts): Promise<LoadedPage> {
  const { path, page, form } = request;
  const load = section.pages[page.pattern];
  const params = matchPath(page.pattern, path);
  if (!load || !params) throw new Error(`the section "${page.section}" has no page "${page.pattern}" for ${path}`);
  const { page: code } = await load();
  const data = (await code.data({ params, site })) as never;
  if (isNotFound(data)) return { kind: "notFound", heading: (data as { heading: string }).heading };
  checkData(request, data);
  return {
    kind: "page",
    Component: code.Component,
    props: { data, ...(form && { form }) },
    params,
    head: code.head({ data, site }),
    layout: { ...DEFAULT_LAYOUT, ...code.layout?.({ data }) },
  };
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
