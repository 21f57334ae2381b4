// What a page needs is named in its document: none of it waits for another script to ask for it.
import type { Page } from "@playwright/test";

import { expect, test } from "../support/fixtures";
import { hold, takenOver } from "../support/hydration";
import { ARTICLE_ROUTES, ROUTES } from "../support/routes";

/** Paths of the scripts that the page asks for from now on. */
function watchScripts(page: Page): Set<string> {
  const asked = new Set<string>();
  page.on("request", (request) => {
    if (request.resourceType() === "script") asked.add(new URL(request.url()).pathname);
  });
  return asked;
}

for (const { path } of [...ROUTES, ...ARTICLE_ROUTES]) {
  test(`${path} names every script that it is taken over with, and no other`, async ({ page }) => {
    // What is fetched once the browser is idle, the sign-up dialog, comes after the page.
    await page.addInitScript("globalThis.requestIdleCallback = () => 0");
    const asked = watchScripts(page);
    const response = await page.goto(path, { waitUntil: "networkidle" });
    await takenOver(page);
    const html = (await response?.text()) ?? "";
    const named = [...html.matchAll(/<(?:script src|link rel="preload" as="script" href)="([^"]+)"/g)];
    expect(named.length).toBeGreaterThan(4);
    expect([...asked].sort()).toEqual(named.map(([, address]) => address).sort());
  });
}

/** Notes the scripts of sections that are put into the document by script: they are gone once they have run. */
function noteInserted(): void {
  const inserted: string[] = [];
  Object.assign(globalThis, { inserted });
  new MutationObserver((changes) => {
    for (const node of changes.flatMap((change) => [...change.addedNodes]))
      if (node instanceof HTMLScriptElement && node.src.includes("/assets/directory/")) inserted.push(node.src);
  }).observe(document, { childList: true, subtree: true });
}

test("a page's own code is there before the shell's renderer is", async ({ page }) => {
  await page.addInitScript(noteInserted);
  const sendRenderer = await hold(page, /\/assets\/shell\/.*\/react-dom\./);
  await page.goto("/", { waitUntil: "commit" });
  // The entry, what the section's pages share, and the page: each is asked for by the one before, once that has run.
  await expect.poll(() => page.evaluate("globalThis.inserted.length")).toBe(3);
  sendRenderer();
  await takenOver(page);
});
