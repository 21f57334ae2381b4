import { expect, type Page } from "@playwright/test";

import { findFile, PARTS } from "../support/damage";
import { test } from "../support/fixtures";
import { expectScreen } from "../support/screens";
import { expectFallback, expectOthersWork, FALLBACK } from "./expectations";
import { SECTIONS } from "./sections";

/** Lets time pass until the page gives up on what hangs. */
async function outwait(page: Page): Promise<void> {
  await expect(async () => {
    await page.clock.runFor(5_000);
    await expect(page.getByRole("heading", { level: 1, name: FALLBACK })).toBeVisible({ timeout: 100 });
  }).toPass({ timeout: 20_000 });
}

for (const section of SECTIONS) {
  for (const part of PARTS) {
    test(`${section.name}: the ${part} hangs`, async ({ page, site }) => {
      const { path } = await findFile(site, section.name, section.pattern, part);
      const hang = (): void => undefined;
      await page.clock.install();
      await page.route(`**${path}`, hang);
      const open = async (): Promise<void> => {
        // A document with a part that hangs never finishes loading.
        await page.goto(section.pattern, { waitUntil: "commit" });
        await outwait(page);
      };
      await open();
      await expectFallback(page);
      await expectOthersWork(page, section.name);

      await open();
      await page.unroute(`**${path}`, hang);
      await page.getByRole("button", { name: "Try again" }).click();
      await expectScreen(page, section.heading);
    });
  }
}
