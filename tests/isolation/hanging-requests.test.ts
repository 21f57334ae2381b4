import { expect, type Page } from "@playwright/test";

import { findFile, PARTS } from "../support/damage";
import { test } from "../support/fixtures";
import { expectScreen } from "../support/screens";
import { expectFallback, FALLBACK } from "./expectations";
import { FAULT_SECTIONS } from "./sections";

/** Advances the clock until the request times out. */
async function waitForTimeout(page: Page): Promise<void> {
  await expect(async () => {
    await page.clock.runFor(5_000);
    await expect(page.getByRole("heading", { level: 1, name: FALLBACK })).toBeVisible({ timeout: 100 });
  }).toPass();
}

for (const section of FAULT_SECTIONS) {
  test(`${section.name} falls back when one of its files times out`, async ({ page, site }) => {
    const hang = (): void => undefined;
    await page.clock.install();
    // Unit tests have the times of an entry and of a stylesheet.
    for (const part of process.env.SOAK ? PARTS : (["script"] as const))
      await test.step(part, async () => {
        const { path } = await findFile(site, section.name, section.pattern, part);
        await page.route(`**${path}`, hang);
        // The load event waits for the hanging request.
        await page.goto(section.pattern, { waitUntil: "commit" });
        await waitForTimeout(page);
        await expectFallback(page);
        await page.unroute(`**${path}`, hang);
        await page.getByRole("button", { name: "Try again" }).click();
        await expectScreen(page, section.heading);
      });
  });
}
