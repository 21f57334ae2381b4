import type { Boot } from "@colonnade/kit/shell";
import { expect, type Page } from "@playwright/test";

import { findFile, PARTS } from "../support/damage";
import { test } from "../support/fixtures";
import { expectScreen } from "../support/screens";
import { expectFallback, expectOthersWork, FALLBACK } from "./expectations";
import { SECTIONS } from "./sections";

/** Paths of the files that have arrived since. */
function watchArrivals(page: Page): ReadonlySet<string> {
  const arrived = new Set<string>();
  page.on("requestfinished", (request) => arrived.add(new URL(request.url()).pathname));
  return arrived;
}

/** Waits for the files of the sign-up dialog, which time that is made to pass would cut off on their way. */
async function letDialogArrive(page: Page, arrived: ReadonlySet<string>): Promise<void> {
  const boot = await page.locator("#boot").textContent();
  const { slots } = JSON.parse(boot ?? "") as Boot;
  const files = Object.values(slots).flatMap(({ section, assets }) => [
    section.entry,
    ...[...section.assets, ...assets].map(({ href }) => href),
  ]);
  await expect.poll(() => files.filter((file) => !arrived.has(file)), { timeout: 30_000 }).toEqual([]);
}

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
      const arrived = watchArrivals(page);
      await page.clock.install();
      await page.route(`**${path}`, hang);
      const open = async (): Promise<void> => {
        // A document with a part that hangs never finishes loading.
        await page.goto(section.pattern, { waitUntil: "commit" });
        if (section.name !== "signup") await letDialogArrive(page, arrived);
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
