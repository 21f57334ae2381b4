import { matchPath, type AnyPage, type Params } from "@colonnade/kit";
import type { PageAnswer } from "@colonnade/kit/shell";

import { loadSection } from "./federation";
import { ensureStyles } from "./styles";

/** A page's code, and what its pattern makes of a path. */
export interface LoadedPage {
  readonly page: AnyPage;
  readonly params: Params;
}

async function load(path: string, { section: entry, pattern, assets }: PageAnswer): Promise<LoadedPage> {
  const [section] = await Promise.all([loadSection(entry), ensureStyles([...entry.assets, ...assets])]);
  const loadCode = section.pages[pattern];
  const params = matchPath(pattern, path);
  if (!loadCode || !params) throw new Error(`the section "${entry.name}" has no page "${pattern}" for ${path}`);
  const { page } = await loadCode();
  return { page, params };
}

let begun: { readonly path: string; readonly loading: Promise<LoadedPage> } | undefined;

/** Begins to load the page at a path, for whoever is the first to ask for it. */
export function beginPage(path: string, answer: PageAnswer): void {
  const loading = load(path, answer);
  // Whoever asks for it is told.
  loading.catch(() => undefined);
  begun = { path, loading };
}

/** Loads the code and the stylesheets of the page at a path. */
export function loadPage(path: string, answer: PageAnswer): Promise<LoadedPage> {
  const { path: begunPath, loading } = begun ?? {};
  if (!loading || begunPath !== path) return load(path, answer);
  // Once: what failed is tried afresh.
  begun = undefined;
  return loading;
}
