import { expect, test } from "../support/fixtures";
import { ARTICLES, open } from "../support/screens";
import { openDialog } from "../support/signup";
import { smallTargets } from "../support/targets";

for (const [device, least, hasTouch] of [
  ["a mouse", 24, false],
  ["a finger", 44, true],
] as const) {
  test.describe(`for ${device}, every target is at least ${String(least)} px high and wide`, () => {
    test.use({ hasTouch, isMobile: hasTouch });

    test("in all articles", async ({ page }) => {
      await page.setViewportSize(hasTouch ? { width: 320, height: 640 } : { width: 1280, height: 800 });
      for (const article of ARTICLES) {
        await page.goto(`/about-escort-babylon/${article}`);
        await expect(page.getByRole("heading", { name: "Sources" })).toBeVisible();
        expect.soft(await smallTargets(page, least), article).toEqual([]);
      }
    });

    test("in the dialog", async ({ page }) => {
      await page.setViewportSize(hasTouch ? { width: 320, height: 640 } : { width: 1280, height: 800 });
      await open(page, { name: "success", path: "/success", heading: "Thank you for signing up" });
      const dialog = await openDialog(page);
      await dialog.getByRole("button", { name: "Continue" }).click();
      await expect(dialog.getByText("Enter your age.")).toBeVisible();
      expect(await smallTargets(page, least)).toEqual([]);
    });
  });
}
