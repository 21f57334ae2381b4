import type { Page } from "@playwright/test";

import { runChecks } from "../support/checks";
import { citiesOf, STATES } from "../support/cities";
import { expect, test } from "../support/fixtures";
import { boxOf, expectColumns, expectTemple } from "../support/layout";
import { expectScreen, open } from "../support/screens";

const HOME = { name: "home", path: "/", heading: "Browse by state. Know what you’re reading." };

// Viewport widths and the columns of the grid of states.
const COLUMNS = [
  [320, 2],
  [768, 3],
  [1024, 4],
  [1280, 5],
] as const;

const QUESTIONS = [
  "What is this site?",
  "Are these ads real?",
  "Why do you ask for my age, and do you keep it?",
  "Where do my sign-up details go?",
  "How do you make money?",
  "Do you verify advertisers?",
  "Is escorting legal?",
  "How do I report trafficking, a minor, or a stolen photo?",
  "How do I delete my data?",
  "Are there reviews?",
];

async function expectStates(page: Page): Promise<void> {
  const states = [...STATES].sort();
  const items = page.getByRole("region", { name: "Browse by state" }).getByRole("listitem");
  await expect(items.getByRole("link")).toHaveText(states);
  await expect(items).toHaveCount(50);
  const targets = await items
    .getByRole("link")
    .evaluateAll((anchors) => anchors.map((anchor) => anchor.getAttribute("href")));
  expect(targets).toEqual(states.map((state) => `/state/${encodeURIComponent(state)}`));
  expect(targets).toContain("/state/New%20York");
}

async function expectCityCounts(page: Page): Promise<void> {
  const count = (state: string): number => new Set(citiesOf(state)).size;
  const items = page.getByRole("region", { name: "Browse by state" }).getByRole("listitem");
  await expect(items).toHaveText([...STATES].sort().map((state) => `${state}${String(count(state))} cities`));
  const total = STATES.reduce((sum, state) => sum + count(state), 0);
  await expect(page.getByText(`50 states, ${total.toLocaleString("en-US")} cities`)).toBeVisible();
}

async function expectQuestions(page: Page): Promise<void> {
  const entries = page.getByRole("region", { name: "Questions and answers" }).locator("details");
  await expect(entries.locator("summary")).toHaveText(QUESTIONS);
  for (const entry of await entries.all()) {
    const answer = entry.getByRole("paragraph").first();
    await expect(answer).toBeHidden();
    await entry.locator("summary").click();
    await expect(answer).toBeVisible();
    await expect(answer).toHaveText(/\w.{40}/);
  }
}

test("The home page has its content", async ({ page }) => {
  await open(page, HOME);
  await runChecks([
    [
      "a hero opens the page",
      async () => {
        await expect(page.getByRole("heading", { level: 1 })).toBeInViewport();
        await expect(
          page.getByText("A sample companionship directory for the United States. Adults only."),
        ).toBeInViewport();
        await expectTemple(page);
        await page.getByRole("link", { name: "Choose a state" }).click();
        await expect(page.getByRole("heading", { name: "Browse by state", exact: true })).toBeInViewport();
      },
    ],
    ["all 50 states are listed in order, with links", () => expectStates(page)],
    ["city counts are shown per state and in total", () => expectCityCounts(page)],
    [
      "guides are linked visibly, before the states",
      async () => {
        const links = page.getByRole("region", { name: "Read before you meet anyone" }).getByRole("link");
        await expect(links).toHaveText(["Safety guide", "Red flags", "Legal guide", "All nine guides"]);
        for (const link of await links.all()) await expect(link).toBeVisible();
        const headings = await page.getByRole("heading", { level: 2 }).allTextContents();
        expect(headings.indexOf("Read before you meet anyone")).toBeLessThan(headings.indexOf("Browse by state"));
      },
    ],
    [
      "six benefits have a heading and text",
      async () => {
        const benefits = page.getByRole("region", { name: "What to expect" }).getByRole("listitem");
        await expect(benefits).toHaveCount(6);
        for (const benefit of await benefits.all()) {
          await expect(benefit.getByRole("heading", { level: 3 })).not.toBeEmpty();
          await expect(benefit.getByRole("paragraph")).not.toBeEmpty();
        }
      },
    ],
    ["there is one testimonial", () => expect(page.getByRole("main").getByRole("blockquote")).toHaveCount(1)],
    ["10 questions have an answer", () => expectQuestions(page)],
    [
      "the header has a logo and the menu of other pages",
      async () => {
        const header = page.getByRole("banner");
        await expect(header.getByRole("link", { name: "Colonnade Directory" })).toHaveAttribute("href", "/");
        await expect(header.getByRole("navigation").getByRole("link")).toHaveText(["Home", "About"]);
        await expect(header.getByRole("button", { name: "Join Free" })).toBeVisible();
      },
    ],
    [
      "the grid of states has 2 to 5 columns",
      async () => {
        const grid = page.getByRole("region", { name: "Browse by state" }).getByRole("list");
        for (const [width, columns] of COLUMNS) {
          await page.setViewportSize({ width, height: 800 });
          await expectColumns(grid, columns);
        }
      },
    ],
    [
      "'Join Free' opens the dialog in main part and footer",
      async () => {
        for (const role of ["main", "contentinfo"] as const) {
          await page.getByRole(role).getByRole("button", { name: "Join Free" }).click();
          await expect(page.getByRole("dialog")).toBeVisible();
          await page.keyboard.press("Escape");
          await expect(page.getByRole("dialog")).toBeHidden();
        }
      },
    ],
  ]);
});

test("The map has a tile per state, large enough for a finger", async ({ page }) => {
  const map = page.getByRole("navigation", { name: "Map of the states" });
  const tiles = map.getByRole("listitem").getByRole("link");
  for (const width of [320, 768, 1280]) {
    await page.setViewportSize({ width, height: 800 });
    await open(page, HOME);
    await expect(tiles).toHaveCount(50);
    const boxes = await Promise.all((await tiles.all()).map((tile) => boxOf(tile)));
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
  for (const state of STATES) {
    const cities = String(new Set(citiesOf(state)).size);
    const tile = map.getByRole("link", { name: new RegExp(`^[A-Z]{2} ${cities} cities in ${state}$`) });
    await expect(tile).toHaveAttribute("href", `/state/${encodeURIComponent(state)}`);
  }
  await map.getByRole("link", { name: "TX 182 cities in Texas" }).click();
  await expectScreen(page, "Escorts in Texas");
});

test("The map can be skipped with the keyboard", async ({ page }) => {
  await open(page, HOME);
  const skip = page.getByRole("link", { name: "Skip the map" });
  await skip.focus();
  await expect(skip).toBeInViewport();
  await page.keyboard.press("Enter");
  await page.keyboard.press("Tab");
  const focused = page.locator(":focus");
  await expect(focused.locator("xpath=ancestor::section[1]")).toContainText("Browse by state");
});
