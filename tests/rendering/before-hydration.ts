import { expect, type Page, type Response } from "@playwright/test";

import { markElements } from "../support/hydration";
import { expectScreen, type Screen } from "../support/screens";

/** Opens a server-rendered document whose shell is held, and marks its elements. Returns how many there are. */
export async function openMarked(
  page: Page,
  { path, heading }: Pick<Screen, "path" | "heading">,
): Promise<{ response: Response | null; marked: number }> {
  const response = await page.goto(path, { waitUntil: "commit" });
  await expectScreen(page, heading);
  const marked = await markElements(page);
  expect(marked).toBeGreaterThan(10);
  return { response, marked };
}

/** Records the paths of all scripts the page requests. */
export function recordScripts(page: Page): ReadonlySet<string> {
  const paths = new Set<string>();
  page.on("request", (request) => {
    if (request.resourceType() === "script") paths.add(new URL(request.url()).pathname);
  });
  return paths;
}

/** Returns the paths of the scripts that a document loads or preloads. */
export function scriptsNamedIn(html: string): string[] {
  const tags = html.matchAll(/<(?:script src|link rel="preload" as="script" href)="([^"]+)"/g);
  return [...tags].map(([, path = ""]) => path);
}
