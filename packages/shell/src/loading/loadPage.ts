import { matchPath, type AnyPage, type Params } from "@colonnade/kit";
import type { ResolvedPage } from "@colonnade/kit/shell";

import { assetsOf } from "./assets.js";
import { loadSection } from "./federation.js";
import { pathnameOf } from "./reload.js";
import { ensureStyles } from "./styles.js";

/** A page's code, and the parameters of a path. */
export interface LoadedPage {
  readonly page: AnyPage;
  readonly params: Params;
  /** Values of the query parameters that the page declares, or that there is no page with these. */
  readonly search: object;
}

async function load(path: string, resolved: ResolvedPage): Promise<LoadedPage> {
  const { section: entry, pattern, bytes } = resolved;
  const [section] = await Promise.all([loadSection(entry, bytes), ensureStyles(assetsOf(resolved), bytes)]);
  const loadCode = section.pages[pattern];
  const params = matchPath(pattern, pathnameOf(path));
  if (!loadCode || !params) throw new Error(`the section "${entry.name}" has no page "${pattern}" for ${path}`);
  const { page } = await loadCode();
  return { page, params, search: (await page.search?.read(path)) ?? {} };
}

let preloaded: { readonly path: string; readonly loading: Promise<LoadedPage> } | undefined;

/** Starts loading the page at a path. The next `loadPage` of that path uses the result. */
export function preloadPage(path: string, resolved: ResolvedPage): void {
  const loading = load(path, resolved);
  // Prevents an unhandled rejection; `loadPage` returns the promise itself.
  loading.catch(() => undefined);
  preloaded = { path, loading };
}

/** Loads the code and the stylesheets of the page at a path. */
export function loadPage(path: string, resolved: ResolvedPage): Promise<LoadedPage> {
  const { path: preloadedPath, loading } = preloaded ?? {};
  if (!loading || preloadedPath !== path) return load(path, resolved);
  // Used once, so that a failed load is retried.
  preloaded = undefined;
  return loading;
}
