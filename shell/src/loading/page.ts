import { matchPath, type AnyPage, type Params } from "@colonnade/kit";
import type { PageAnswer } from "@colonnade/kit/shell";

import { loadSection } from "./federation";
import { ensureStyles } from "./styles";

/** A page's code, and what its pattern makes of a path. */
export interface LoadedPage {
  readonly page: AnyPage;
  readonly params: Params;
}

/** Loads the code and the stylesheets of the page at a path. */
export async function loadPage(path: string, { section: entry, pattern, assets }: PageAnswer): Promise<LoadedPage> {
  const [section] = await Promise.all([loadSection(entry), ensureStyles([...entry.assets, ...assets])]);
  const load = section.pages[pattern];
  const params = matchPath(pattern, path);
  if (!load || !params) throw new Error(`the section "${entry.name}" has no page "${pattern}" for ${path}`);
  const { page } = await load();
  return { page, params };
}
