import { expect, test } from "../support/fixtures";
import { hoverRules } from "../support/hover";
import { openDialog } from "../support/signup";

test.describe("with a finger", () => {
  test.use({ hasTouch: true, isMobile: true, viewport: { width: 320, height: 640 } });

  test("no rule for what is under a pointer holds in the dialog", async ({ page }) => {
    await page.goto("/success");
    await openDialog(page);
    expect(await page.evaluate(() => matchMedia("(hover: none)").matches)).toBe(true);
    expect(await hoverRules(page)).toEqual([]);
  });
});

test("with a mouse there is something to be highlighted", async ({ page }) => {
  await page.goto("/");
  expect((await hoverRules(page)).length).toBeGreaterThan(5);
});
