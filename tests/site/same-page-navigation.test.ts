import type { Page } from "@playwright/test";

import { expect, test } from "../support/fixtures";
import { waitForPaint } from "../support/hydration";
import { expectScreen, open } from "../support/screens";

const HOME = { name: "home", path: "/", heading: "Browse by state. Know what you’re reading." };
const HUB = { name: "the About hub", path: "/about-escort-babylon", heading: "Guides" };
const TERMS = { name: "the terms", path: "/terms", heading: "Terms of use" };

function scrollTop(page: Page): Promise<number> {
  return page.evaluate(() => Math.round(scrollY));
}

async function scrollDown(page: Page): Promise<void> {
  await page.evaluate(() => {
    scrollTo({ top: 600, behavior: "instant" });
  });
  await expect.poll(() => scrollTop(page)).toBe(600);
}

test("The current page's link scrolls up and focuses the heading", async ({ page }) => {
  for (const { screen, link } of [
    { screen: HOME, link: "Colonnade Directory" },
    { screen: HUB, link: "About" },
    { screen: TERMS, link: "Terms" },
  ]) {
    await open(page, screen);
    await scrollDown(page);
    await page.getByRole("link", { name: link, exact: true }).first().click();
    await expect.poll(() => scrollTop(page)).toBe(0);
    await expect(page.getByRole("heading", { level: 1 })).toBeFocused();
  }
});

test.describe("fragment navigation", () => {
  test("moves scroll and Tab order, and Back returns", async ({ page }) => {
    await open(page, HOME);
    await page.getByRole("link", { name: "Choose a state" }).click();
    await expect.poll(() => scrollTop(page)).toBeGreaterThan(100);
    await page.keyboard.press("Tab");
    await expect(page.getByRole("main").getByRole("link", { name: "Alabama", exact: true })).toBeFocused();
    await page.goBack();
    await expect.poll(() => scrollTop(page)).toBe(0);
    await expect(page.getByRole("link", { name: "Choose a state" })).toBeFocused();
    await page.goForward();
    await expect.poll(() => scrollTop(page)).toBeGreaterThan(100);
  });

  test("does not scroll back when the focus moves on", async ({ page }) => {
    await page.setViewportSize({ width: 320, height: 640 });
    await open(page, HOME);
    const last = page.getByRole("main").getByRole("link", { name: "Wyoming", exact: true });
    await last.evaluate((link) => {
      const heading = document.getElementById("states");
      const moveOn = (): void => {
        (link as HTMLElement).focus();
      };
      heading?.addEventListener("focus", moveOn, { once: true });
    });
    await page.getByRole("link", { name: "Choose a state" }).click();
    await expect(last).toBeFocused();
    await waitForPaint(page);
    await waitForPaint(page);
    await expect(last).toBeInViewport();
  });

  test("adds a history entry per fragment", async ({ page }) => {
    await open(page, TERMS);
    const contents = page.getByRole("navigation", { name: "Contents" });
    await contents.getByRole("link", { name: "Disclaimers" }).click();
    await expect(page.getByRole("heading", { name: /Disclaimers$/ })).toBeInViewport();
    // Content near the viewport may move it in the next frames.
    await waitForPaint(page);
    await waitForPaint(page);
    const there = await scrollTop(page);
    await contents.getByRole("link", { name: "Contact" }).click();
    await expect(page.getByRole("heading", { name: /Contact$/ })).toBeInViewport();
    await page.goBack();
    await expect.poll(() => scrollTop(page)).toBe(there);
    await expectScreen(page, TERMS.heading);
  });
});
