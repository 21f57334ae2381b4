import { expect, test } from "../support/fixtures";
import { expectColumns, expectTemple } from "../support/layout";
import { ARTICLES, expectScreen, open } from "../support/screens";

const HUB = { name: "hub", path: "/about-escort-babylon", heading: "About Colonnade Directory" };

const TITLES = [
  "What is Escort Babylon?",
  "How to compare platforms",
  "Safety guide",
  "Top cities, and what the lists mean",
  "Profile tips",
  "Legal guide",
  "Platform evolution",
  "Red flags",
  "Escort experiences",
];

test.beforeEach(async ({ page }) => {
  await open(page, HUB);
});

test("The hub lists 9 complete article cards", async ({ page }) => {
  const cards = page.getByRole("main").getByRole("listitem");
  await expect(cards.getByRole("heading", { level: 2 })).toHaveText(TITLES);
  const targets = await cards
    .getByRole("link")
    .evaluateAll((anchors) => anchors.map((anchor) => anchor.getAttribute("href")));
  expect(targets).toEqual(ARTICLES.map((article) => `/about-escort-babylon/${article}`));
  for (const card of await cards.all()) {
    await expect(card.getByRole("paragraph")).toHaveText(/\w.{20}/);
    await expect(card.locator("svg")).toBeVisible();
  }
});

test("The temple at dusk stands beside the heading", async ({ page }) => {
  await expectTemple(page);
});

test("Cards have 1 to 3 columns by viewport width", async ({ page }) => {
  const grid = page.getByRole("main").getByRole("list");
  for (const [width, columns] of [
    [320, 1],
    [768, 2],
    [1280, 3],
  ] as const) {
    await page.setViewportSize({ width, height: 800 });
    await expectColumns(grid, columns);
  }
});

test("A card is a link to its article everywhere", async ({ page }) => {
  const card = page.getByRole("main").getByRole("listitem").filter({ hasText: "Safety guide" });
  await card.click({ position: { x: 8, y: 8 } });
  await expectScreen(page, "Safety guide");
});

test("'Join Now' opens the dialog", async ({ page }) => {
  await page.getByRole("main").getByRole("button", { name: "Join Now" }).click();
  await expect(page.getByRole("dialog")).toBeVisible();
});
