import type { Site } from "@colonnade/kit";
import { fetchResult, loadResults } from "@colonnade/kit/shell";

import type { LoadedPage } from "./loadPage.js";

/**
 * Fetches the results of a page's queries in parallel, and runs its `data`. `requests` aborts the requests. The results are
 * those that the gateway renders with, so the requests have no cookies.
 */
export async function loadData(
  { page, params, search }: LoadedPage,
  site: Site,
  requests = new AbortController(),
): Promise<unknown> {
  const context = { params, search, site };
  const results = await loadResults(page.queries?.(context) ?? {}, (path) => fetchResult(path, "omit", requests));
  return page.data({ ...context, results });
}
