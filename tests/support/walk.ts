import { expect, type Locator, type Page } from "@playwright/test";

/** What a screen reader is told when a page has come within the document: its title, and its heading by the focus. */
export async function expectArrival(page: Page, heading: string, title: string): Promise<void> {
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(heading);
  await expect(page.getByRole("heading", { level: 1 })).toBeFocused();
  await expect(page).toHaveTitle(title);
  await expect(page.locator("[data-announcer]")).toHaveText(title);
}

/** What is known of the element that has the focus. */
interface Stop {
  readonly name: string;
  /** Whether it shows that it has the focus. */
  readonly shows: boolean;
  /** Whether it is in sight, with nothing in front of it. */
  readonly seen: boolean;
}

function stop(page: Page): Promise<Stop> {
  return page.evaluate(() => {
    const element = document.activeElement;
    if (!element || element === document.body) return { name: "nothing", shows: true, seen: true };
    const { outlineStyle, outlineWidth } = getComputedStyle(element);
    const boxes = [...element.getClientRects()];
    const seen = boxes.some(({ left, top, width, height }) => {
      const front = document.elementFromPoint(left + width / 2, top + height / 2);
      return front !== null && (element.contains(front) || front.contains(element));
    });
    return {
      name: `${element.tagName.toLowerCase()} ${element.getAttribute("aria-label") ?? element.textContent}`,
      shows: outlineStyle === "solid" && parseFloat(outlineWidth) >= 2,
      seen,
    };
  });
}

/** Goes on by Tab until an element has the focus. Every stop on the way shows that it has it, and is in sight. */
export async function tabTo(page: Page, target: Locator, key: "Tab" | "Shift+Tab" = "Tab"): Promise<void> {
  const passed: string[] = [];
  for (let count = 0; count < 80; count += 1) {
    await page.keyboard.press(key);
    const { name, shows, seen } = await stop(page);
    passed.push(name);
    expect({ name, shows, seen }).toEqual({ name, shows: true, seen: true });
    if (await target.evaluate((element) => element === document.activeElement)) return;
  }
  throw new Error(`${target.toString()} was not reached by ${key}; passed: ${passed.join(", ")}`);
}
