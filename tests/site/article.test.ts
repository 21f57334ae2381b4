import { readFileSync } from "node:fs";
import path from "node:path";

import type { Page } from "@playwright/test";

import { runChecks, type Check } from "../support/checks";
import { expect, test } from "../support/fixtures";
import { boxOf } from "../support/layout";
import { ROOT } from "../support/repository.mjs";
import { ARTICLES, expectScreen } from "../support/screens";

/** The article page shows its Markdown file, and the links to the hub and in the menu. */
async function expectArticle(page: Page, article: string): Promise<void> {
  const markdown = readFileSync(path.join(ROOT, "mfe-articles/content", `${article}.md`), "utf8");
  const title = /^title: "(.+)"$/m.exec(markdown)?.[1] ?? "";
  await page.goto(`/about-escort-babylon/${article}`);
  await expectScreen(page, title);

  const headings = [...markdown.matchAll(/^## (.+)$/gm)].map((match) => match[1] ?? "");
  expect(headings.length).toBeGreaterThanOrEqual(5);
  await expect(page.getByRole("article").getByRole("heading", { level: 2 })).toHaveText([...headings, "Sources"]);
  await expect(page.getByRole("article")).not.toContainText(/\{\w+\}|\]\(|\*\*/);

  const header = page.getByRole("banner");
  await expect(header.getByRole("navigation").getByRole("link")).toHaveText(["Home", "About"]);
  await expect(header.getByRole("navigation").getByRole("button")).toHaveText("Join Free");

  await page.getByRole("link", { name: "All articles about Colonnade Directory" }).click();
  await expectScreen(page, "About Colonnade Directory");
  await expect(page).toHaveURL("/about-escort-babylon");
}

test("Each article shows its Markdown, a menu and a hub link", async ({ page }) => {
  await runChecks(ARTICLES.map((article): Check => [article, () => expectArticle(page, article)]));
});

test("External links send no referrer", async ({ page }) => {
  await page.goto("/about-escort-babylon/safety-guide");
  const links = page.getByRole("article").locator("a[href^='http']");
  await expect(links.first()).toBeVisible();
  for (const link of await links.all()) await expect(link).toHaveAttribute("rel", "noopener noreferrer external");
});

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

test("Phone numbers and table figures fit a small phone", async ({ page }) => {
  await page.setViewportSize({ width: 320, height: 640 });
  for (const [article, cells] of [
    ["safety-guide", "a[href^='tel:']"],
    ["red-flags", "a[href^='tel:']"],
    ["top-cities", "td:last-child"],
  ] as const) {
    await page.goto(`/about-escort-babylon/${article}`);
    const found = page.getByRole("table").locator(cells);
    await expect(found.first()).toBeVisible();
    const cutOff = await found.evaluateAll((elements) =>
      elements
        .filter((element) => {
          const range = document.createRange();
          range.selectNodeContents(element);
          const edge = element.closest("table")?.parentElement?.getBoundingClientRect().right ?? 0;
          return range.getBoundingClientRect().right > edge + 0.5;
        })
        .map((element) => element.textContent),
    );
    expect(cutOff, article).toEqual([]);
  }
});
