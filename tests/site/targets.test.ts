import type { Page } from "@playwright/test";

import { expect, test } from "../support/fixtures";
import { ARTICLES, open, SCREENS } from "../support/screens";
import { openDialog } from "../support/signup";

/**
 * Controls that are shown and smaller than `least` CSS pixels either way. A link within a sentence is as high as its
 * line: WCAG 2.2, 2.5.8, leaves it out. One in a cell of a table or a list of terms is there to be chosen.
 */
async function smallTargets(page: Page, least: number): Promise<readonly string[]> {
  return page.evaluate((size) => {
    const isInSentence = (element: Element): boolean => {
      if (element.tagName !== "A" || getComputedStyle(element).display !== "inline") return false;
      const text = element.closest("p, .prose li");
      if (!text) return false;
      // Without its links, it has words of its own: a link alone in its paragraph is no part of a sentence.
      const others = text.cloneNode(true) as Element;
      for (const link of others.querySelectorAll("a")) link.remove();
      return /\p{L}/u.test(others.textContent);
    };
    // What a link is drawn over belongs to it: a whole card, say.
    const boxOf = (element: Element): DOMRect => {
      const isOver = ["::before", "::after"].some((part) => getComputedStyle(element, part).position === "absolute");
      const over = isOver ? (element as HTMLElement).offsetParent : null;
      return (over ?? element).getBoundingClientRect();
    };
    return [...document.querySelectorAll("a[href], button, input, summary, select, textarea")]
      .filter((element) => element.checkVisibility({ visibilityProperty: true, contentVisibilityAuto: true }))
      .filter((element) => !element.closest(".visually-hidden, .skip-link") && !isInSentence(element))
      .filter((element) => {
        const { width, height } = boxOf(element);
        return width > 0 && (width < size - 0.5 || height < size - 0.5);
      })
      .map((element) => {
        const { width, height } = boxOf(element);
        return `${element.outerHTML.slice(0, 100)} is ${String(Math.round(width))} by ${String(Math.round(height))}`;
      });
  }, least);
}

for (const [device, least, hasTouch] of [
  ["a mouse", 24, false],
  ["a finger", 44, true],
] as const) {
  test.describe(`for ${device}, every target is at least ${String(least)} px high and wide`, () => {
    test.use({ hasTouch, isMobile: hasTouch });

    for (const screen of SCREENS) {
      test(`on ${screen.name}`, async ({ page }) => {
        await page.setViewportSize(hasTouch ? { width: 320, height: 640 } : { width: 1280, height: 800 });
        await open(page, screen);
        expect(await page.evaluate(() => matchMedia("(pointer: coarse)").matches)).toBe(hasTouch);
        expect(await smallTargets(page, least)).toEqual([]);
      });
    }

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
