import { expect, type Locator, type Page } from "@playwright/test";

/** Waits until a grid has `columns` columns. */
export async function expectColumns(grid: Locator, columns: number): Promise<void> {
  await expect
    .poll(() => grid.evaluate((element) => getComputedStyle(element).gridTemplateColumns.split(" ").length))
    .toBe(columns);
}

/** Expects the page not to scroll horizontally. */
export async function expectNoHorizontalScroll(page: Page): Promise<void> {
  const beyond = await page.evaluate(() => {
    const { scrollWidth, clientWidth } = document.documentElement;
    const wide = [...document.querySelectorAll("body *")].filter(
      (element) => element.getBoundingClientRect().right > clientWidth,
    );
    // Overflowing text widens the page without widening any box, so report the page width too.
    const found = [`${String(scrollWidth)} px`, ...wide.map(({ outerHTML }) => outerHTML.slice(0, 120))];
    return scrollWidth > clientWidth ? found : [];
  });
  expect(beyond, `wider than the screen at ${page.url()}`).toEqual([]);
}

/** The bounding box of a visible element. */
export async function boxOf(locator: Locator): Promise<{ x: number; y: number; width: number; height: number }> {
  await expect(locator).toBeVisible();
  const box = await locator.boundingBox();
  if (!box) throw new Error(`${locator.toString()} has no bounding box`);
  return box;
}

/** Expects the picture of the temple, on a wide screen whole and beside the page's heading. */
export async function expectTemple(page: Page): Promise<void> {
  const heading = page.getByRole("main").getByRole("heading", { level: 1 });
  const temple = await boxOf(page.getByRole("main").locator("header > svg"));
  const { x, width } = await boxOf(heading);
  expect(temple.x).toBeGreaterThanOrEqual(x + width);
  expect(temple.width / temple.height).toBeCloseTo(4 / 3, 1);
}
