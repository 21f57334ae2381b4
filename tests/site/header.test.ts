import type { Page } from "@playwright/test";

import { expect, test } from "../support/fixtures";
import { expectHttpError } from "../support/http-errors";
import { boxOf, expectNoHorizontalScroll } from "../support/layout";
import { expectScreen, open } from "../support/screens";

const HOME_HEADING = "Browse by state. Know what you’re reading.";
const NEW_YORK = { name: "New York", path: "/state/New%20York", heading: "Escorts in New York" };
const WIDTHS = [320, 768, 1280] as const;
/** Widths at which the header has a menu. */
const NARROW = [320, 767] as const;

function menuOf(page: Page) {
  return {
    toggle: page.getByRole("banner").getByText("Menu", { exact: true }),
    panel: page.getByRole("navigation", { name: "Main" }),
  };
}

test("Alabama, Alaska and Arizona have a logo without a menu", async ({ page }) => {
  for (const state of ["Alabama", "Alaska", "Arizona"]) {
    await page.goto(`/state/${state}`);
    await expectScreen(page, `Escorts in ${state}`);
    const header = page.getByRole("banner");
    await expect(header.getByRole("link")).toHaveText("Colonnade Directory");
    await expect(header.getByRole("link")).toHaveAttribute("href", "/");
    await expect(header.getByRole("button")).toHaveCount(0);
    await expect(menuOf(page).toggle).toHaveCount(0);
    const logo = await boxOf(header.getByRole("link"));
    expect(logo.x).toBeLessThan(200);
  }
});

test("Oklahoma has only a centered logo", async ({ page }) => {
  await page.goto("/state/Oklahoma");
  await expectScreen(page, "Escorts in Oklahoma");
  const header = page.getByRole("banner");
  await expect(header).toHaveText("Colonnade Directory");
  await expect(header.getByRole("link")).toHaveAttribute("href", "/");
  const logo = await boxOf(header.getByRole("link"));
  const row = await boxOf(header);
  expect(Math.abs(logo.x + logo.width / 2 - (row.x + row.width / 2))).toBeLessThan(2);
});

test("The logo leads home from every header variant", async ({ page }) => {
  for (const state of ["Alabama", "Oklahoma", "Texas"]) {
    await page.goto(`/state/${state}`);
    await page.getByRole("banner").getByRole("link", { name: "Colonnade Directory" }).click();
    await expect(page).toHaveURL("/");
    await expectScreen(page, HOME_HEADING);
  }
});

test.describe("below 768 px", () => {
  test.use({ viewport: { width: 700, height: 800 } });

  test("The menu toggle opens Home, About and 'Join Free'", async ({ page }) => {
    await open(page, NEW_YORK);
    const { toggle, panel } = menuOf(page);
    await expect(panel).toBeHidden();
    await toggle.click();
    await expect(panel.getByRole("link")).toHaveText(["Home", "About"]);
    await expect(panel.getByRole("link", { name: "Home" })).toHaveAttribute("href", "/");
    await expect(panel.getByRole("link", { name: "About" })).toHaveAttribute("href", "/about-escort-babylon");
    await expect(panel.getByRole("button", { name: "Join Free" })).toBeVisible();
    await toggle.click();
    await expect(panel).toBeHidden();
  });

  test("Menu links and 'Join Free' close the menu", async ({ page }) => {
    await open(page, NEW_YORK);
    const { toggle, panel } = menuOf(page);
    for (const [label, heading] of [
      ["Home", HOME_HEADING],
      ["About", "About Colonnade Directory"],
      // The current page.
      ["About", "About Colonnade Directory"],
    ] as const) {
      await toggle.click();
      await panel.getByRole("link", { name: label }).click();
      await expectScreen(page, heading);
      await expect(panel).toBeHidden();
    }
    await toggle.click();
    await panel.getByRole("button", { name: "Join Free" }).click();
    await expect(page.getByRole("dialog")).toBeVisible();
    await expect(panel).toBeHidden();
  });

  test("Escape, outside click, lost focus and back close the menu", async ({ page }) => {
    await open(page, NEW_YORK);
    const { toggle, panel } = menuOf(page);
    await test.step("Escape returns the focus to the toggle", async () => {
      await toggle.click();
      await panel.getByRole("link", { name: "About" }).focus();
      await page.keyboard.press("Escape");
      await expect(panel).toBeHidden();
      await expect(page.getByRole("banner").locator("summary")).toBeFocused();
    });
    await test.step("a click outside", async () => {
      await toggle.click();
      await expect(panel).toBeVisible();
      await page.getByRole("heading", { level: 1 }).click();
      await expect(panel).toBeHidden();
    });
    await test.step("the focus leaves, so it never covers the focused element", async () => {
      await toggle.click();
      await panel.getByRole("button", { name: "Join Free" }).focus();
      await page.keyboard.press("Tab");
      await expect(page.getByRole("main").locator(":focus")).toHaveText("Home");
      await expect(panel).toBeHidden();
    });
    await test.step("back navigation", async () => {
      await page.getByRole("link", { name: /^Albany\b/ }).click();
      await expectScreen(page, "Albany, New York");
      await toggle.click();
      await expect(panel).toBeVisible();
      await page.goBack();
      await expectScreen(page, "Escorts in New York");
      await expect(panel).toBeHidden();
    });
  });

  test("The menu works with the keyboard alone", async ({ page }) => {
    await open(page, NEW_YORK);
    const { panel } = menuOf(page);
    for (const stop of ["Skip to content", "Colonnade Directory", "Menu"]) {
      await page.keyboard.press("Tab");
      await expect(page.locator(":focus")).toHaveText(stop);
    }
    await page.keyboard.press("Enter");
    await expect(panel).toBeVisible();
    for (const stop of ["Home", "About"]) {
      await page.keyboard.press("Tab");
      await expect(page.locator(":focus")).toHaveText(stop);
    }
    await page.keyboard.press("Enter");
    await expectScreen(page, "About Colonnade Directory");
    await expect(panel).toBeHidden();
  });

  test("The open menu fits the viewport", async ({ page }) => {
    await page.goto("/");
    const { toggle, panel } = menuOf(page);
    await toggle.click();
    for (const width of NARROW) {
      await page.setViewportSize({ width, height: 800 });
      const box = await boxOf(panel);
      expect(box.x).toBeGreaterThanOrEqual(0);
      expect(box.x + box.width).toBeLessThanOrEqual(width);
      await expectNoHorizontalScroll(page);
    }
  });
});

test.describe("from 768 px", () => {
  for (const width of [768, 1280]) {
    test(`the header shows its links without a toggle at ${String(width)} px`, async ({ page }) => {
      await page.setViewportSize({ width, height: 800 });
      await open(page, NEW_YORK);
      const { toggle, panel } = menuOf(page);
      await expect(toggle).toBeHidden();
      await expect(panel.getByRole("link")).toHaveText(["Home", "About"]);
      const logo = await boxOf(page.getByRole("banner").getByRole("link").first());
      const button = await boxOf(panel.getByRole("button", { name: "Join Free" }));
      expect(Math.abs(logo.y + logo.height / 2 - (button.y + button.height / 2))).toBeLessThan(2);
      for (const stop of ["Skip to content", "Colonnade Directory", "Home", "About", "Join Free"]) {
        await page.keyboard.press("Tab");
        await expect(page.locator(":focus")).toHaveText(stop);
      }
      await page.keyboard.press("Enter");
      await expect(page.getByRole("dialog")).toBeVisible();
      await page.keyboard.press("Escape");
      await expect(panel.getByRole("button", { name: "Join Free" })).toBeFocused();
      await panel.getByRole("link", { name: "About" }).click();
      await expectScreen(page, "About Colonnade Directory");
    });
  }

  test.describe("without JavaScript", () => {
    test.use({ javaScriptEnabled: false });

    test("the header shows its links", async ({ page }) => {
      await open(page, NEW_YORK);
      await expect(menuOf(page).panel.getByRole("link")).toHaveText(["Home", "About"]);
    });
  });
});

test("A skip link leads past the header", async ({ page }) => {
  await open(page, NEW_YORK);
  const skip = page.getByRole("link", { name: "Skip to content" });
  await expect(skip).not.toBeInViewport();
  await page.keyboard.press("Tab");
  await expect(skip).toBeFocused();
  await expect(skip).toBeInViewport();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("main")).toBeFocused();
  await page.keyboard.press("Tab");
  await expect(page.getByRole("main").locator(":focus")).toHaveText("Home");
  await expectScreen(page, "Escorts in New York");
});

test("The color scheme applies before any stylesheet loads", async ({ page }) => {
  await page.emulateMedia({ colorScheme: "dark" });
  const response = await page.goto("/");
  const html = (await response?.text()) ?? "";
  expect(html.indexOf('<meta name="color-scheme" content="light dark">')).toBeGreaterThan(0);
  expect(html.indexOf('name="color-scheme"')).toBeLessThan(html.search(/<style|rel="stylesheet"|<script/));
  await expect(page.locator("html")).toHaveCSS("background-color", "rgb(22, 19, 21)");
});

test("Header and footer align with the content at every width", async ({ page, browserErrors }) => {
  await page.goto("/nowhere");
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 800 });
    const logo = await boxOf(page.getByRole("banner").getByRole("link").first());
    const heading = await boxOf(page.getByRole("heading", { level: 1 }));
    const footer = await boxOf(page.getByRole("contentinfo").getByRole("navigation"));
    expect(heading.x).toBeCloseTo(logo.x, 0);
    expect(footer.x).toBeCloseTo(logo.x, 0);
  }
  await expectHttpError(browserErrors, 404);
});
