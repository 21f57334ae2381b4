import { isNotFound } from "@colonnade/kit";
import { renderPage, type RenderedPage, type RenderOptions } from "@colonnade/kit/testing";

import section from "../section";

/** Renders a page of this section. Throws if the page is not found. */
export async function renderExisting(path: string, options?: RenderOptions): Promise<RenderedPage> {
  const page = await renderPage(section, path, options);
  if (isNotFound(page)) throw new Error(`${path}: ${page.heading}`);
  return page;
}

/** An element's text with collapsed whitespace. */
export function textOf(element: Element | null): string {
  return (element?.textContent ?? "").replace(/\s+/g, " ").trim();
}
