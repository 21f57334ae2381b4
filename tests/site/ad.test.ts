import { expect, test } from "../support/fixtures";
import { boxOf } from "../support/layout";
import { expectScreen } from "../support/screens";

const AD = "/city/Texas/Houston/ad/4251";

test("An ad's lines break as written, and its links lead to the next", async ({ page }) => {
  await page.goto(AD);
  await expectScreen(page, "Coffee and an unhurried conversation");
  const description = page.getByText(/^One good café/);
  // innerText has the rendered line breaks, not those of the source.
  expect(await description.evaluate((text) => (text as HTMLElement).innerText.split("\n"))).toEqual([
    "One good café, two cups, no agenda.",
    "Books, work, weather, or nothing in particular.",
    "The second cup is usually where it gets interesting.",
  ]);
  // Below the search, with the help beside it.
  const main = page.getByRole("main");
  const search = await boxOf(main.getByRole("search"));
  const heading = await boxOf(main.getByRole("heading", { level: 1 }));
  // As on pages of states and cities.
  await expect(main.getByRole("navigation", { name: "Before you meet anyone" }).getByRole("link")).toHaveCount(3);
  const report = await boxOf(main.getByRole("heading", { name: "Report this ad" }));
  expect(heading.y).toBeGreaterThan(search.y + search.height);
  expect(heading.x + heading.width).toBeLessThan(report.x);
  await page
    .getByRole("navigation", { name: "Other ads" })
    .getByRole("link", { name: /^Next sample/ })
    .click();
  await expect(page).toHaveURL("/city/Texas/Houston/ad/4252");
});
