import type { Locator, Page } from "@playwright/test";

import { expectAccessible } from "../support/axe";
import { expect, test } from "../support/fixtures";
import { boxOf, expectNoHorizontalScroll } from "../support/layout";
import { expectScreen, open } from "../support/screens";

const HOME_HEADING = "Browse by state. Know what you’re reading.";
const NEW_YORK = { name: "New York", path: "/state/New%20York", heading: "Escorts in New York" };

function menuOf(page: Page): { toggle: Locator; panel: Locator } {
  return {
    toggle: page.getByRole("banner").getByText("Menu", { exact: true }),
    panel: page.getByRole("navigation", { name: "Main" }),
  };
}

/** Presses Tab through elements with these texts. */
async function tabThrough(page: Page, stops: readonly string[]): Promise<void> {
  for (const stop of stops) {
    await page.keyboard.press("Tab");
    await expect(page.locator(":focus")).toHaveText(stop);
  }
}

test("Some states have only a logo, at the left or centered", async ({ page }) => {
  const header = page.getByRole("banner");
  const logo = header.getByRole("link");
  await page.goto("/state/Alabama");
  await expectScreen(page, "Escorts in Alabama");
  await expect(header).toHaveText("Colonnade Directory");
  expect((await boxOf(logo)).x).toBeLessThan(200);
  await page.goto("/state/Oklahoma");
  await expectScreen(page, "Escorts in Oklahoma");
  await expect(header).toHaveText("Colonnade Directory");
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    await expectAccessible(page, { selector: "header", colorsOnly: colorScheme === "dark" });
  }
  const [{ x, width }, row] = [await boxOf(logo), await boxOf(header)];
  expect(Math.abs(x + width / 2 - (row.x + row.width / 2))).toBeLessThan(2);
  await logo.click();
  await expectScreen(page, HOME_HEADING);
});

test("A long brand name fits the smallest phone", async ({ page }) => {
  await page.setViewportSize({ width: 320, height: 640 });
  await open(page, NEW_YORK);
  const header = page.getByRole("banner");
  // The header wraps at spaces.
  for (const brand of ["The Very Long Name Directory of Something", "Averylongnamewithoutanyspaceinitatall"]) {
    await page.locator("header a > span, footer p > span:first-child").evaluateAll((names, text) => {
      for (const name of names) name.textContent = text;
    }, brand);
    await expect(page.getByText(brand)).toHaveCount(2);
    await expectNoHorizontalScroll(page);
    const [box, name] = [await boxOf(header), await boxOf(header.getByText(brand))];
    expect(name.y).toBeGreaterThan(box.y);
    expect(name.y + name.height).toBeLessThan(box.y + box.height);
    expect(name.x + name.width).toBeLessThanOrEqual(320);
  }
});

test.describe("below 768 px", () => {
  test.use({ viewport: { width: 700, height: 800 } });

  test("A lost focus and back navigation close the menu", async ({ page }) => {
    await open(page, NEW_YORK);
    const { toggle, panel } = menuOf(page);
    await expect(panel).toBeHidden();
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

  test("The menu works with the keyboard alone, and fits the viewport", async ({ page }) => {
    await open(page, NEW_YORK);
    const { panel } = menuOf(page);
    await tabThrough(page, ["Skip to content", "Colonnade Directory", "Menu"]);
    await page.keyboard.press("Enter");
    for (const width of [320, 767]) {
      await page.setViewportSize({ width, height: 800 });
      const box = await boxOf(panel);
      expect(box.x).toBeGreaterThanOrEqual(0);
      expect(box.x + box.width).toBeLessThanOrEqual(width);
      await expectNoHorizontalScroll(page);
    }
    await tabThrough(page, ["Home", "About"]);
    await page.keyboard.press("Enter");
    await expectScreen(page, "Guides");
    await expect(panel).toBeHidden();
  });
});

test("From 768 px, the header shows its links without a toggle", async ({ page }) => {
  await open(page, NEW_YORK);
  const { toggle, panel } = menuOf(page);
  const button = panel.getByRole("button", { name: "Join Free" });
  for (const width of [768, 1280]) {
    await page.setViewportSize({ width, height: 800 });
    await expect(toggle).toBeHidden();
    await expect(panel.getByRole("link")).toHaveText(["Home", "About"]);
    const [logo, join] = [await boxOf(page.getByRole("banner").getByRole("link").first()), await boxOf(button)];
    expect(Math.abs(logo.y + logo.height / 2 - (join.y + join.height / 2))).toBeLessThan(2);
  }
  const skip = page.getByRole("link", { name: "Skip to content" });
  await expect(skip).not.toBeInViewport();
  await tabThrough(page, ["Skip to content", "Colonnade Directory", "Home", "About", "Join Free"]);
  await page.keyboard.press("Enter");
  await expect(page.getByRole("dialog")).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(button).toBeFocused();

  await test.step("Header and footer align with the content at every width", async () => {
    for (const width of [320, 768, 1280]) {
      await page.setViewportSize({ width, height: 800 });
      const logo = await boxOf(page.getByRole("banner").getByRole("link").first());
      const heading = await boxOf(page.getByRole("heading", { level: 1 }));
      const footer = await boxOf(page.getByRole("contentinfo").getByRole("navigation"));
      expect(heading.x).toBeCloseTo(logo.x, 0);
      expect(footer.x).toBeCloseTo(logo.x, 0);
    }
  });
  await test.step("The skip link leads past the header", async () => {
    await skip.focus();
    await expect(skip).toBeInViewport();
    await page.keyboard.press("Enter");
    await expect(page.getByRole("main")).toBeFocused();
    await page.keyboard.press("Tab");
    await expect(page.getByRole("main").locator(":focus")).toHaveText("Home");
    await expectScreen(page, "Escorts in New York");
  });
});

test("The current page is marked by more than color, after navigation too", async ({ page }) => {
  await open(page, NEW_YORK);
  const footer = page.getByRole("contentinfo");
  const { toggle, panel } = menuOf(page);
  await expect(page.locator("header, footer").locator("[aria-current]")).toHaveCount(0);
  await footer.getByRole("link", { name: "Safety guide" }).click();
  await expectScreen(page, "Safety guide");
  await expect(footer.locator("[aria-current=page]")).toHaveText("Safety guide");
  await page.setViewportSize({ width: 700, height: 800 });
  await toggle.click();
  for (const forcedColors of ["none", "active"] as const) {
    await page.emulateMedia({ forcedColors });
    await page.setViewportSize({ width: 700, height: 800 });
    await expect(panel.getByRole("link", { name: "About" })).toHaveCSS("border-left", /^3px solid/);
    await expect(panel.getByRole("link", { name: "Home" })).toHaveCSS("border-left", /^0px/);
    await expect(footer.getByRole("link", { name: "About" })).toHaveCSS("text-decoration-thickness", "2px");
    await expect(footer.getByRole("link", { name: "About" })).toHaveCSS("font-weight", "700");
    await expect(footer.getByRole("link", { name: "Terms" })).not.toHaveCSS("font-weight", "700");
    await page.setViewportSize({ width: 1280, height: 800 });
    const [property, value] =
      forcedColors === "active" ? (["text-decoration-line", "underline"] as const) : (["box-shadow", /inset/] as const);
    await expect(panel.getByRole("link", { name: "About" })).toHaveCSS(property, value);
    await expect(panel.getByRole("link", { name: "Home" })).not.toHaveCSS(property, value);
  }
});
