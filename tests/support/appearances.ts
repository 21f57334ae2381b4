import { test, type Page } from "@playwright/test";

import { expectAccessible } from "./axe";

const WIDTHS = [320, 1280];
const SCHEMES = ["light", "dark"] as const;

/**
 * Expects no axe violation and no horizontal overflow in the current page, at both widths and in both color schemes.
 */
export async function expectAccessibleInAllAppearances(page: Page): Promise<void> {
  for (const colorScheme of SCHEMES) {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    for (const width of WIDTHS) {
      await test.step(`${colorScheme}, ${String(width)} px`, async () => {
        await page.setViewportSize({ width, height: 720 });
        await expectAccessible(page, { colorsOnly: colorScheme === "dark" });
        const overflow = await page.evaluate(
          () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
        );
        test.expect(overflow, "horizontal overflow in pixels").toBeLessThanOrEqual(0);
      });
    }
  }
}
