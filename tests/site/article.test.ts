import { expect, test } from "../support/fixtures";
import { boxOf } from "../support/layout";

test("The comparison table is a list on a small phone", async ({ page }) => {
  await page.setViewportSize({ width: 320, height: 640 });
  await page.goto("/about-escort-babylon/platform-comparison");
  const table = page.getByRole("table");
  await expect(table.getByRole("columnheader")).toHaveText(["Question", "A good answer looks like", "Take care if"]);
  const cells = table.getByRole("row").nth(1).getByRole("cell");
  const [question, good, bad] = [await boxOf(cells.nth(0)), await boxOf(cells.nth(1)), await boxOf(cells.nth(2))];
  const { width } = await boxOf(table);
  for (const cell of [question, good, bad]) expect(cell.width).toBe(width);
  expect(good.y).toBeGreaterThanOrEqual(question.y + question.height);
  expect(bad.y).toBeGreaterThanOrEqual(good.y + good.height);
  const label = (cell: number): Promise<string> =>
    cells.nth(cell).evaluate((element) => getComputedStyle(element, "::before").content);
  expect([await label(0), await label(1), await label(2)]).toEqual([
    "none",
    '"A good answer looks like: "',
    '"Take care if: "',
  ]);
});
