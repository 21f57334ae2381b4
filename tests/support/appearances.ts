import { test, type Page } from "@playwright/test";

import { expectAccessible } from "./axe";

// Colors do not depend on the width.
const APPEARANCES = [
  ["light", 320],
  ["light", 1280],
  ["dark", 1280],
] as const;

/**
 * Expects no axe violation and no horizontal overflow in the current page, at both widths and in both color schemes.
 */
export async function expectAccessibleInAllAppearances(page: Page): Promise<void> {
  for (const [colorScheme, width] of APPEARANCES)
    await test.step(`${colorScheme}, ${String(width)} px`, async () => {
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      await page.setViewportSize({ width, height: 720 });
      await expectAccessible(page, { colorsOnly: colorScheme === "dark" });
      const overflow = await page.evaluate(
        () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
      );
      test.expect(overflow, "horizontal overflow in pixels").toBeLessThanOrEqual(0);
    });
}
