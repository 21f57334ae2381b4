import { isNotFound } from "@colonnade/kit";
import { renderPage, type RenderedPage, type RenderOptions } from "@colonnade/kit/testing";

import section from "../section";

/** Renders a page of the section that exists. */
export async function show(path: string, options?: RenderOptions): Promise<RenderedPage> {
  const page = await renderPage(section, path, options);
  if (isNotFound(page)) throw new Error(`${path}: ${page.heading}`);
  return page;
}

/** An element's text as it reads, with runs of spaces and line breaks as one space. */
export function textOf(element: Element | null): string {
  return (element?.textContent ?? "").replace(/\s+/g, " ").trim();
}
