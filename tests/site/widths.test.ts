import { expect, test } from "../support/fixtures";
import { boxOf, expectNoSidewaysScroll } from "../support/layout";
import { expectRefused } from "../support/failures";
import { ARTICLES, MISSING, open, SCREENS } from "../support/screens";

const WIDTHS = [320, 768, 1280] as const;

test("all articles fit 320, 768 and 1280 pixels without sideways scroll", async ({ page }) => {
  for (const article of ARTICLES) {
    await page.goto(`/about-escort-babylon/${article}`);
    await expect(page.getByRole("heading", { name: "Sources" })).toBeVisible();
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 800 });
      await expectNoSidewaysScroll(page);
    }
  }
});

test("so do the screens for what does not exist", async ({ page, complaints }) => {
  for (const screen of MISSING) {
    await open(page, screen);
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 800 });
      await expectNoSidewaysScroll(page);
    }
  }
  await expectRefused(complaints, 404);
});

test("the open menu lies within the screen at every width", async ({ page }) => {
  await page.goto("/");
  const toggle = page.getByRole("banner").getByText("Menu", { exact: true });
  const panel = page.getByRole("navigation", { name: "Main" });
  await toggle.click();
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 800 });
    const box = await boxOf(panel);
    expect(box.x).toBeGreaterThanOrEqual(0);
    expect(box.x + box.width).toBeLessThanOrEqual(width);
    await expectNoSidewaysScroll(page);
  }
});

test("text at 200 % still fits", async ({ page }) => {
  for (const screen of SCREENS) {
    await open(page, screen);
    // What a browser does that is told to double the size of text: the root's font size is the user's choice.
    await page.setViewportSize({ width: 640, height: 800 });
    await page.evaluate(() => {
      document.documentElement.style.fontSize = "32px";
    });
    await expectNoSidewaysScroll(page);
  }
});
