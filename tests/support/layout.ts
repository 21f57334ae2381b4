import { expect, type Locator, type Page } from "@playwright/test";

/** Waits until a grid has so many columns. */
export async function expectColumns(grid: Locator, columns: number): Promise<void> {
  await expect
    .poll(() => grid.evaluate((element) => getComputedStyle(element).gridTemplateColumns.split(" ").length))
    .toBe(columns);
}

/** Fails where the page can be scrolled sideways. */
export async function expectNoSidewaysScroll(page: Page): Promise<void> {
  const beyond = await page.evaluate(() => {
    const { scrollWidth, clientWidth } = document.documentElement;
    const wide = [...document.querySelectorAll("body *")].filter(
      (element) => element.getBoundingClientRect().right > clientWidth,
    );
    // A word that sticks out of its box makes the page wider and no box.
    const found = [`${String(scrollWidth)} px`, ...wide.map(({ outerHTML }) => outerHTML.slice(0, 120))];
    return scrollWidth > clientWidth ? found : [];
  });
  expect(beyond, `wider than the screen at ${page.url()}`).toEqual([]);
}

/** The box of an element that is shown. */
export async function boxOf(locator: Locator): Promise<{ x: number; y: number; width: number; height: number }> {
  await expect(locator).toBeVisible();
  const box = await locator.boundingBox();
  if (!box) throw new Error(`${locator.toString()} has no box`);
  return box;
}
