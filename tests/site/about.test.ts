import { expect, test } from "../support/fixtures";
import { expectColumns, expectTemple } from "../support/layout";
import { expectScreen, open } from "../support/screens";

test("The hub has its temple and columns of cards that are links", async ({ page }) => {
  await open(page, { name: "hub", path: "/about-escort-babylon", heading: "Guides" });
  await expectTemple(page);
  const cards = page.getByRole("main").getByRole("listitem");
  for (const card of await cards.all()) await expect(card.locator("svg")).toBeVisible();
  for (const [width, columns] of [
    [320, 1],
    [768, 2],
    [1280, 3],
  ] as const) {
    await page.setViewportSize({ width, height: 800 });
    await expectColumns(page.getByRole("main").getByRole("list"), columns);
  }
  // Outside of the link's text.
  await cards.filter({ hasText: "Safety guide" }).click({ position: { x: 8, y: 8 } });
  await expectScreen(page, "Safety guide");
});
