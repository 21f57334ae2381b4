// The scripts of a page load in parallel, because its document names them all.
import { expect, test } from "../support/fixtures";
import { holdRequests, waitForHydration } from "../support/hydration";

/** Records the section scripts that are inserted into the document. Runs in the page. */
function recordInserted(): void {
  const inserted: string[] = [];
  Object.assign(globalThis, { inserted });
  new MutationObserver((changes) => {
    for (const node of changes.flatMap((change) => [...change.addedNodes]))
      if (node instanceof HTMLScriptElement && node.src.includes("/assets/directory/")) inserted.push(node.src);
  }).observe(document, { childList: true, subtree: true });
}

test("A page's code loads before the shell's renderer", async ({ page }) => {
  await page.addInitScript(recordInserted);
  const startRenderer = await holdRequests(page, /\/assets\/shell\/.*\/react-dom\./);
  await page.goto("/", { waitUntil: "commit" });
  // The entry, what most pages share, and the page: each runs before it requests the next.
  await expect.poll(() => page.evaluate("globalThis.inserted.length")).toBe(3);
  startRenderer();
  await waitForHydration(page);
});
