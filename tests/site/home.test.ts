import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";

import type { Page } from "@playwright/test";

import { expect, test } from "../support/fixtures";
import { boxOf, expectColumns, expectTemple } from "../support/layout";
import { expectScreen, open } from "../support/screens";

const HOME = { name: "home", path: "/", heading: "Browse by state. Know what you’re reading." };

const ROOT = path.join(import.meta.dirname, "../..");

/**
 * Expects that the alternative text of the README's picture has the page's heading: a new heading needs a new picture. With
 * `--update-snapshots` takes the picture of the page, and writes the text.
 */
async function expectPicture(page: Page): Promise<void> {
  const [file, picture] = [path.join(ROOT, "README.md"), "docs/images/site.png"];
  const readme = await readFile(file, "utf8");
  const heading = (await page.getByRole("heading", { level: 1 }).innerText()).replaceAll("\n", " ");
  const line = `![The directory’s home page: “${heading}”](${picture})`;
  if (["all", "changed"].includes(test.info().config.updateSnapshots)) {
    await page.evaluate(() => {
      scrollTo(0, 0);
    });
    await page.screenshot({ path: path.join(ROOT, picture), animations: "disabled" });
    await writeFile(file, readme.replace(/^!\[.*\]\(docs\/images\/site\.png\)$/m, line));
  } else expect(readme, "npx --no playwright test site/home --update-snapshots takes a new picture").toContain(line);
}

test("The hero opens the home page, and the map and the grid fit", async ({ page }) => {
  await open(page, HOME);
  await expect(page.getByRole("heading", { level: 1 })).toBeInViewport();
  await expectPicture(page);
  await expect(page.getByText("A sample companionship directory for the United States. Adults only.")).toBeInViewport();
  await expectTemple(page);
  await page.getByRole("link", { name: "Choose a state" }).click();
  await expect(page.getByRole("heading", { name: "Browse by state", exact: true })).toBeInViewport();
  for (const link of await page.getByRole("region", { name: "Stay safe, here or anywhere" }).getByRole("link").all())
    await expect(link).toBeVisible();

  const map = page.getByRole("navigation", { name: "Map of the states" });
  const tiles = map.getByRole("listitem").getByRole("link");
  const grid = page.getByRole("region", { name: "Browse by state" }).getByRole("list");
  for (const [width, columns] of [
    [320, 2],
    [768, 3],
    [1024, 4],
    [1280, 5],
  ] as const) {
    await page.setViewportSize({ width, height: 800 });
    await expectColumns(grid, columns);
    await expect(tiles).toHaveCount(50);
    const boxes = await tiles.evaluateAll((links) =>
      links.map((link) => link.getBoundingClientRect().toJSON() as DOMRect),
    );
    for (const box of boxes) {
      expect(box.width).toBeGreaterThanOrEqual(26);
      expect(box.height).toBeCloseTo(box.width, 0);
      expect(box.x).toBeGreaterThanOrEqual(0);
      expect(box.x + box.width).toBeLessThanOrEqual(width);
    }
    // 11 columns and 8 rows: no tile is misplaced.
    expect(new Set(boxes.map(({ x }) => Math.round(x))).size).toBe(11);
    expect(new Set(boxes.map(({ y }) => Math.round(y))).size).toBe(8);
  }
  const columnOf = async (name: RegExp): Promise<number> => (await boxOf(map.getByRole("link", { name }))).x;
  expect(await columnOf(/^WA /)).toBe(await columnOf(/^CA /));
  expect(await columnOf(/^ME /)).toBeGreaterThan(await columnOf(/^NY /));

  await test.step("The map can be skipped with the keyboard", async () => {
    const skip = page.getByRole("link", { name: "Skip the map" });
    await skip.focus();
    await expect(skip).toBeInViewport();
    await page.keyboard.press("Enter");
    await page.keyboard.press("Tab");
    await expect(page.locator(":focus").locator("xpath=ancestor::section[1]")).toContainText("Browse by state");
  });

  await page.getByRole("main").getByRole("button", { name: "Join Free" }).click();
  await expect(page.getByRole("dialog")).toBeVisible();
  await page.keyboard.press("Escape");
  await map.getByRole("link", { name: "TX 182 cities in Texas" }).click();
  await expectScreen(page, "Escorts in Texas");
});
