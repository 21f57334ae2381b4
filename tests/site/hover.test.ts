import type { Page } from "@playwright/test";

import { expect, test } from "../support/fixtures";
import { open, SCREENS } from "../support/screens";
import { openDialog } from "../support/signup";

/** Selectors of the page's rules for what is under a pointer that hold on this device, which has none. */
async function hoverRules(page: Page): Promise<readonly string[]> {
  return page.evaluate(() => {
    const holds = (rule: CSSRule): boolean => !(rule instanceof CSSMediaRule) || matchMedia(rule.conditionText).matches;
    const selectors = (rules: CSSRuleList): string[] =>
      [...rules].filter(holds).flatMap((rule) => {
        const own = rule instanceof CSSStyleRule && rule.selectorText.includes(":hover") ? [rule.selectorText] : [];
        return rule instanceof CSSGroupingRule || rule instanceof CSSStyleRule
          ? [...own, ...selectors(rule.cssRules)]
          : own;
      });
    return [...document.styleSheets].flatMap((sheet) => selectors(sheet.cssRules));
  });
}

test.describe("with a finger", () => {
  test.use({ hasTouch: true, isMobile: true, viewport: { width: 320, height: 640 } });

  for (const screen of SCREENS) {
    test(`nothing stays highlighted after a tap on ${screen.name}`, async ({ page }) => {
      await open(page, screen);
      expect(await page.evaluate(() => matchMedia("(hover: none)").matches)).toBe(true);
      expect(await hoverRules(page)).toEqual([]);
    });
  }

  test("nor in the dialog", async ({ page }) => {
    await page.goto("/success");
    await openDialog(page);
    expect(await hoverRules(page)).toEqual([]);
  });
});

test("with a mouse there is something to be highlighted", async ({ page }) => {
  await page.goto("/");
  expect((await hoverRules(page)).length).toBeGreaterThan(5);
});
