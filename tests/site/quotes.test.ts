import { expectRefused } from "../support/failures";
import { expect, test } from "../support/fixtures";
import { straightQuotes } from "../support/quotes";
import { ARTICLES, MISSING, open } from "../support/screens";

// The screens that exist: every-screen.test.ts.

test("where nothing is, quotation marks and apostrophes are set as print does", async ({ page, complaints }) => {
  for (const screen of MISSING) {
    await open(page, screen);
    expect.soft(await straightQuotes(page), screen.name).toEqual([]);
  }
  await expectRefused(complaints, 404);
});

test("so do all articles", async ({ page }) => {
  for (const article of ARTICLES) {
    await page.goto(`/about-escort-babylon/${article}`);
    await expect(page.getByRole("heading", { name: "Sources" })).toBeVisible();
    expect.soft(await straightQuotes(page), article).toEqual([]);
  }
});
