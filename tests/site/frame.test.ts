import type { Page } from "@playwright/test";

import { expect, test } from "../support/fixtures";
import { boxOf } from "../support/layout";
import { expectScreen, MISSING, open, SCREENS } from "../support/screens";
import { expectRefused } from "../support/failures";

const NEW_YORK = { name: "New York", path: "/state/New%20York", heading: "Escorts in New York" };

function menuOf(page: Page) {
  return {
    toggle: page.getByRole("banner").getByText("Menu", { exact: true }),
    panel: page.getByRole("navigation", { name: "Main" }),
  };
}

test.describe("the header", () => {
  for (const state of ["Alabama", "Alaska", "Arizona"]) {
    test(`${state} has a logo linking to / and no menu toggle`, async ({ page }) => {
      await page.goto(`/state/${state}`);
      await expectScreen(page, `Escorts in ${state}`);
      const header = page.getByRole("banner");
      await expect(header.getByRole("link")).toHaveText("Colonnade Directory");
      await expect(header.getByRole("link")).toHaveAttribute("href", "/");
      await expect(header.getByRole("button")).toHaveCount(0);
      await expect(menuOf(page).toggle).toHaveCount(0);
      const logo = await boxOf(header.getByRole("link"));
      expect(logo.x).toBeLessThan(200);
    });
  }

  test("Oklahoma has only a centred logo", async ({ page }) => {
    await page.goto("/state/Oklahoma");
    await expectScreen(page, "Escorts in Oklahoma");
    const header = page.getByRole("banner");
    await expect(header).toHaveText("Colonnade Directory");
    await expect(header.getByRole("link")).toHaveAttribute("href", "/");
    const logo = await boxOf(header.getByRole("link"));
    const row = await boxOf(header);
    expect(Math.abs(logo.x + logo.width / 2 - (row.x + row.width / 2))).toBeLessThan(2);
  });

  test("all others have a toggle opening a dropdown with Home (/), About (/about-escort-babylon) and a 'Join Free' button", async ({
    page,
  }) => {
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

  test("its logo leads home from every variant", async ({ page }) => {
    for (const state of ["Alabama", "Oklahoma", "Texas"]) {
      await page.goto(`/state/${state}`);
      await page.getByRole("banner").getByRole("link", { name: "Colonnade Directory" }).click();
      await expect(page).toHaveURL("/");
      await expectScreen(page, "Browse by state. Know what you are reading.");
    }
  });
});

test.describe("choosing any menu link, or Join Free, closes the menu", () => {
  test("Home", async ({ page }) => {
    await open(page, NEW_YORK);
    const { toggle, panel } = menuOf(page);
    await toggle.click();
    await panel.getByRole("link", { name: "Home" }).click();
    await expectScreen(page, "Browse by state. Know what you are reading.");
    await expect(panel).toBeHidden();
  });

  test("About", async ({ page }) => {
    await open(page, NEW_YORK);
    const { toggle, panel } = menuOf(page);
    await toggle.click();
    await panel.getByRole("link", { name: "About" }).click();
    await expectScreen(page, "About Colonnade Directory");
    await expect(panel).toBeHidden();
  });

  test("the link of the page that is shown", async ({ page }) => {
    await page.goto("/about-escort-babylon");
    const { toggle, panel } = menuOf(page);
    await toggle.click();
    await panel.getByRole("link", { name: "About" }).click();
    await expect(panel).toBeHidden();
    await expectScreen(page, "About Colonnade Directory");
  });

  test("Join Free, which opens the dialog", async ({ page }) => {
    await open(page, NEW_YORK);
    const { toggle, panel } = menuOf(page);
    await toggle.click();
    await panel.getByRole("button", { name: "Join Free" }).click();
    await expect(page.getByRole("dialog")).toBeVisible();
    await expect(panel).toBeHidden();
  });
});

test.describe("the menu closes besides", () => {
  test.beforeEach(async ({ page }) => {
    await open(page, NEW_YORK);
    await menuOf(page).toggle.click();
    await expect(menuOf(page).panel).toBeVisible();
  });

  test("by Escape, which gives the focus back to its toggle", async ({ page }) => {
    const { panel } = menuOf(page);
    await panel.getByRole("link", { name: "About" }).focus();
    await page.keyboard.press("Escape");
    await expect(panel).toBeHidden();
    await expect(page.getByRole("banner").locator("summary")).toBeFocused();
  });

  test("by a click outside", async ({ page }) => {
    await page.getByRole("heading", { level: 1 }).click();
    await expect(menuOf(page).panel).toBeHidden();
  });

  test("when the focus leaves it, so that it covers nothing that has the focus", async ({ page }) => {
    const { panel } = menuOf(page);
    await panel.getByRole("button", { name: "Join Free" }).focus();
    await page.keyboard.press("Tab");
    await expect(page.getByRole("main").locator(":focus")).toHaveText("Home");
    await expect(panel).toBeHidden();
  });

  test("when a page arrives by the way back", async ({ page }) => {
    const { toggle, panel } = menuOf(page);
    await toggle.click();
    await page.getByRole("link", { name: /^Albany\b/ }).click();
    await expectScreen(page, "Albany, New York");
    await toggle.click();
    await expect(panel).toBeVisible();
    await page.goBack();
    await expectScreen(page, "Escorts in New York");
    await expect(panel).toBeHidden();
  });
});

test("the menu works by the keyboard alone", async ({ page }) => {
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

test.describe("every page's footer says '18+ only'", () => {
  for (const screen of SCREENS) {
    test(`${screen.name}: Terms, Privacy, About, and 'Join Free', which opens the dialog`, async ({ page }) => {
      await open(page, screen);
      const footer = page.getByRole("contentinfo");
      await expect(footer.getByText(/(^| - )18\+ only$/)).toBeVisible();
      await expect(footer.getByRole("link")).toHaveText(["Terms", "Privacy", "About"]);
      for (const [label, path] of [
        ["Terms", "/terms"],
        ["Privacy", "/privacy"],
        ["About", "/about-escort-babylon"],
      ] as const)
        await expect(footer.getByRole("link", { name: label })).toHaveAttribute("href", path);
      await footer.getByRole("button", { name: "Join Free" }).click();
      await expect(page.getByRole("dialog")).toBeVisible();
      await page.keyboard.press("Escape");
      await expect(page.getByRole("dialog")).toBeHidden();
      await expect(footer.getByRole("button", { name: "Join Free" })).toBeFocused();
    });
  }

  test("so do the screens for what does not exist", async ({ page, complaints }) => {
    for (const screen of MISSING) {
      await open(page, screen);
      await expect(page.getByRole("contentinfo").getByText("18+ only")).toBeVisible();
    }
    await expectRefused(complaints, 404);
  });
});

test("a skip link leads past the header", async ({ page }) => {
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

test("the ground has the visitor's colours before any stylesheet, and the frame keeps them", async ({ page }) => {
  await page.emulateMedia({ colorScheme: "dark" });
  const response = await page.goto("/");
  const html = (await response?.text()) ?? "";
  expect(html.indexOf('<meta name="color-scheme" content="light dark">')).toBeGreaterThan(0);
  expect(html.indexOf('name="color-scheme"')).toBeLessThan(html.search(/<style|rel="stylesheet"|<script/));
  await expect(page.locator("html")).toHaveCSS("background-color", "rgb(22, 19, 21)");
});

test("the frame's parts begin where the page's content does, at every width", async ({ page, complaints }) => {
  await page.goto("/nowhere");
  for (const width of [320, 768, 1280]) {
    await page.setViewportSize({ width, height: 800 });
    const logo = await boxOf(page.getByRole("banner").getByRole("link"));
    const heading = await boxOf(page.getByRole("heading", { level: 1 }));
    const footer = await boxOf(page.getByRole("contentinfo").getByRole("navigation"));
    expect(heading.x).toBeCloseTo(logo.x, 0);
    expect(footer.x).toBeCloseTo(logo.x, 0);
  }
  await expectRefused(complaints, 404);
});
