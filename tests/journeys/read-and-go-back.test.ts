import type { Page } from "@playwright/test";

import { expect, test } from "../support/fixtures";
import { expectScreen, open } from "../support/screens";
import { expectPageAnnounced } from "../support/keyboard";

test.use({ reducedMotion: "no-preference" });

function expectAt(page: Page, top: number): Promise<void> {
  return expect.poll(() => page.evaluate(() => Math.round(scrollY))).toBe(top);
}

test("A visitor reads, follows links and returns to the position", async ({ page }) => {
  await open(page, { name: "the hub", path: "/about-escort-babylon", heading: "Guides" });
  await page
    .getByRole("main")
    .getByRole("link", { name: /Safety guide/ })
    .click();
  await expectPageAnnounced(page, "Safety guide", "Safety guide - Colonnade Directory");
  await expectAt(page, 0);
  const terms = page.getByRole("contentinfo").getByRole("link", { name: "Terms" });
  await terms.click();
  await expectPageAnnounced(page, "Terms of use", "Terms of use - Colonnade Directory");
  await page.goBack();
  await expectPageAnnounced(page, "Safety guide", "Safety guide - Colonnade Directory", terms);
  await page.evaluate(() => {
    scrollTo({ top: 900, behavior: "instant" });
  });
  // The history entry has the position.
  await page.waitForFunction(() => Math.round((history.state as { scrollTop?: number }).scrollTop ?? 0) === 900);
  await page.goForward();
  await expectScreen(page, "Terms of use");
  await page.goBack();
  await expectScreen(page, "Safety guide");
  await expectAt(page, 900);
});
