import { TEST_FACTS } from "@colonnade/design/testing";
import { isNotFound } from "@colonnade/kit";
import { renderPage, type RenderedPage, type RenderOptions } from "@colonnade/kit/testing";

import section from "../section";

/** Renders a page of this section. Throws if the page is not found. */
export async function renderExisting(path: string, options?: RenderOptions): Promise<RenderedPage> {
  const view = await renderPage(section, path, { ...options, site: { facts: TEST_FACTS, ...options?.site } });
  if (isNotFound(view)) throw new Error(`${path}: ${view.heading}`);
  return view;
}
