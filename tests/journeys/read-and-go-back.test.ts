import type { Page } from "@playwright/test";

import { expect, test } from "../support/fixtures";
import { expectScreen, open } from "../support/screens";
import { expectPageAnnounced } from "../support/keyboard";

test.use({ reducedMotion: "no-preference" });

/** Scrolls, and waits until the history entry has the position, which must differ from the previous one. */
async function scrollAndSave(page: Page, top: number): Promise<void> {
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

test("A visitor reads, follows links and returns to the position", async ({ page }) => {
  const main = page.getByRole("main");

  await test.step("From the hub to an article", async () => {
    await open(page, { name: "the hub", path: "/about-escort-babylon", heading: "About Colonnade Directory" });
    await main.getByRole("link", { name: /Safety guide/ }).click();
    await expectPageAnnounced(page, "Safety guide", "Safety guide - Colonnade Directory");
    await expectAt(page, 0);
    await scrollAndSave(page, 700);
  });

  await test.step("Away from its middle, and back", async () => {
    const terms = page.getByRole("contentinfo").getByRole("link", { name: "Terms" });
    await terms.click();
    await expectPageAnnounced(page, "Terms of use", "Terms of use - Colonnade Directory");
    await page.goBack();
    await expectPageAnnounced(page, "Safety guide", "Safety guide - Colonnade Directory", terms);
    await expect.poll(() => page.evaluate(() => scrollY)).toBeGreaterThan(0);
    await scrollAndSave(page, 900);
    await page.goForward();
    await expectScreen(page, "Terms of use");
    await page.goBack();
    await expectScreen(page, "Safety guide");
    await expectAt(page, 900);
  });

  await test.step("To an ad of a city, and back to the same ads and position", async () => {
    await open(page, { name: "Houston", path: "/city/Texas/Houston", heading: "Houston, Texas" });
    const titles = main.getByRole("article").getByRole("heading");
    await expect(titles.first()).toBeVisible();
    const before = await titles.allInnerTexts();
    const link = titles.nth(12).getByRole("link");
    await link.scrollIntoViewIfNeeded();
    const top = await page.evaluate(() => Math.round(scrollY));
    await scrollAndSave(page, top);
    await link.click();
    await expectScreen(page, before[12] ?? "");
    await page.goBack();
    await expectPageAnnounced(page, "Houston, Texas", "Colonnade Directory - Listings in Houston, Texas", link);
    expect(await titles.allInnerTexts()).toEqual(before);
    await expectAt(page, top);
  });

  await test.step("A reload and back from another document keep them", async () => {
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
    await expect(titles.nth(12).getByRole("link")).toBeFocused();
  });
});
