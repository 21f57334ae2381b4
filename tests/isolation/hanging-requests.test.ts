import type { Boot } from "@colonnade/kit/shell";
import { expect, type Page } from "@playwright/test";

import { findFile, PARTS } from "../support/damage";
import { test } from "../support/fixtures";
import { expectScreen } from "../support/screens";
import { expectFallback, FALLBACK } from "./expectations";
import { FAULT_SECTIONS } from "./sections";

/** Records the paths of finished requests. */
function recordFinishedRequests(page: Page): Set<string> {
  const paths = new Set<string>();
  page.on("requestfinished", (request) => paths.add(new URL(request.url()).pathname));
  return paths;
}

/** Waits for the sign-up dialog's files, which would otherwise time out when the clock advances. */
async function waitForDialogFiles(page: Page, finished: ReadonlySet<string>): Promise<void> {
  const boot = await page.locator("#boot").textContent();
  const { join } = (JSON.parse(boot ?? "") as Boot).slots;
  if (!join) throw new Error("no section fills the slot of the dialog");
  const { section, assets } = join;
  const files = [section.entry, ...[...section.assets, ...assets].map(({ href }) => href)];
  await expect.poll(() => files.filter((file) => !finished.has(file)), { timeout: 30_000 }).toEqual([]);
}

/** Advances the clock until the request times out. */
async function waitForTimeout(page: Page): Promise<void> {
  await expect(async () => {
    await page.clock.runFor(5_000);
    await expect(page.getByRole("heading", { level: 1, name: FALLBACK })).toBeVisible({ timeout: 100 });
  }).toPass({ timeout: 20_000 });
}

for (const section of FAULT_SECTIONS) {
  test(`${section.name} falls back when one of its files times out`, async ({ page, site }) => {
    const hang = (): void => undefined;
    const finished = recordFinishedRequests(page);
    await page.clock.install();
    for (const part of PARTS)
      await test.step(part, async () => {
        const { path } = await findFile(site, section.name, section.pattern, part);
        await page.route(`**${path}`, hang);
        finished.clear();
        // The load event waits for the hanging request.
        await page.goto(section.pattern, { waitUntil: "commit" });
        if (section.name !== "signup") await waitForDialogFiles(page, finished);
        await waitForTimeout(page);
        await expectFallback(page);
        await page.unroute(`**${path}`, hang);
        await page.getByRole("button", { name: "Try again" }).click();
        await expectScreen(page, section.heading);
      });
  });
}
