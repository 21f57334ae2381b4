import type { Page } from "@playwright/test";

import { expect, test } from "../support/fixtures";
import { expectScreen, open } from "../support/screens";
import { expectArrival } from "../support/walk";

/** Scrolls, and waits until the entry knows: it must have known another place, or none. */
async function scrollAndRest(page: Page, top: number): Promise<void> {
  await page.evaluate((y) => {
    scrollTo({ top: y, behavior: "instant" });
  }, top);
  await page.waitForFunction(
    (y) => Math.round((history.state as { scrollTop?: number } | null)?.scrollTop ?? 0) === y,
    top,
  );
}

function expectAt(page: Page, top: number): Promise<void> {
  return expect.poll(() => page.evaluate(() => Math.round(scrollY))).toBe(top);
}

test("a visitor reads, follows links and goes back to where the reading stopped", async ({ page }) => {
  const main = page.getByRole("main");

  await test.step("from the hub to an article", async () => {
    await open(page, { name: "the hub", path: "/about-escort-babylon", heading: "About Colonnade Directory" });
    await main.getByRole("link", { name: /Safety guide/ }).click();
    await expectArrival(page, "Safety guide", "Safety guide - Colonnade Directory");
    await expectAt(page, 0);
    await scrollAndRest(page, 700);
  });

  await test.step("away from the middle of it, and back to the middle of it", async () => {
    await page.getByRole("contentinfo").getByRole("link", { name: "Terms" }).click();
    await expectArrival(page, "Terms of use", "Terms of use - Colonnade Directory");
    await page.goBack();
    await expectArrival(page, "Safety guide", "Safety guide - Colonnade Directory");
    await expect.poll(() => page.evaluate(() => scrollY)).toBeGreaterThan(0);
    await scrollAndRest(page, 900);
    await page.goForward();
    await expectScreen(page, "Terms of use");
    await page.goBack();
    await expectScreen(page, "Safety guide");
    await expectAt(page, 900);
  });

  await test.step("to a city's ads, one of them, and back to the same ads at the same place", async () => {
    await open(page, { name: "Houston", path: "/city/Texas/Houston", heading: "Houston, Texas" });
    const titles = main.getByRole("article").getByRole("heading");
    await expect(titles.first()).toBeVisible();
    const before = await titles.allInnerTexts();
    const link = titles.nth(12).getByRole("link");
    await link.scrollIntoViewIfNeeded();
    const top = await page.evaluate(() => Math.round(scrollY));
    await scrollAndRest(page, top);
    await link.click();
    await expectScreen(page, before[12] ?? "");
    await page.goBack();
    await expectArrival(page, "Houston, Texas", "Colonnade Directory - Listings in Houston, Texas");
    expect(await titles.allInnerTexts()).toEqual(before);
    await expectAt(page, top);
  });

  await test.step("a reload and a way back from another document find them, too", async () => {
    const titles = main.getByRole("article").getByRole("heading");
    const before = await titles.allInnerTexts();
    const top = await page.evaluate(() => Math.round(scrollY));
    await page.reload();
    await expectScreen(page, "Houston, Texas");
    await expect(titles).toHaveText(before);
    await expectAt(page, top);
    await page.goto("/privacy");
    await expectScreen(page, "Privacy policy");
    await page.goBack();
    await expectScreen(page, "Houston, Texas");
    await expect(titles).toHaveText(before);
  });
});
