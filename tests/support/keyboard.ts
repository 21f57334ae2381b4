import { expect, type Locator, type Page } from "@playwright/test";

import { waitForPaint } from "./hydration";

/** Expects a client-side navigation to focus the heading and to announce the title to screen readers. */
export async function expectPageAnnounced(
  page: Page,
  heading: string,
  title: string,
  focused: Locator = page.getByRole("heading", { level: 1 }),
): Promise<void> {
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(heading);
  await expect(focused).toBeFocused();
  await expect(page).toHaveTitle(title);
  await expect(page.locator("[data-announcer]")).toHaveText(title);
  // The shell scrolls in the next frame.
  await waitForPaint(page);
}

/** The element that has the focus. */
interface TabStop {
  readonly name: string;
  /** Whether it has a focus outline. */
  readonly outlined: boolean;
  /** Whether it is in the viewport and not covered. */
  readonly visible: boolean;
}

function focusedElement(page: Page): Promise<TabStop> {
  return page.evaluate(() => {
    const element = document.activeElement;
    if (!element || element === document.body) return { name: "nothing", outlined: true, visible: true };
    const { outlineStyle, outlineWidth } = getComputedStyle(element);
    const boxes = [...element.getClientRects()];
    const visible = boxes.some(({ left, top, width, height }) => {
      const topmost = document.elementFromPoint(left + width / 2, top + height / 2);
      return topmost !== null && (element.contains(topmost) || topmost.contains(element));
    });
    return {
      name: `${element.tagName.toLowerCase()} ${element.getAttribute("aria-label") ?? element.textContent}`,
      outlined: outlineStyle === "solid" && parseFloat(outlineWidth) >= 2,
      visible,
    };
  });
}

/** Presses Tab until `target` has the focus. Every tab stop on the way must be outlined and visible. */
export async function tabTo(page: Page, target: Locator, key: "Tab" | "Shift+Tab" = "Tab"): Promise<void> {
  const passed: string[] = [];
  for (let count = 0; count < 80; count += 1) {
    await page.keyboard.press(key);
    const { name, outlined, visible } = await focusedElement(page);
    passed.push(name);
    expect({ name, outlined, visible }).toEqual({ name, outlined: true, visible: true });
    if (await target.evaluate((element) => element === document.activeElement)) return;
  }
  throw new Error(`${target.toString()} was not reached by ${key}; passed: ${passed.join(", ")}`);
}
