import type { Page } from "@playwright/test";

import { expectAccessibleInAllAppearances } from "./appearances";
import { expectAccessible } from "./axe";
import { expectNoHorizontalScroll } from "./layout";

/**
 * Expects no axe violation and no horizontal overflow on a phone, or in all appearances in soak runs. For further states of a page
 * that is checked in all appearances.
 */
export async function expectAccessibleOnPhone(page: Page): Promise<void> {
  if (process.env.SOAK) return expectAccessibleInAllAppearances(page);
  await page.setViewportSize({ width: 320, height: 720 });
  await expectAccessible(page);
  await expectNoHorizontalScroll(page);
}
