import type { Page } from "@playwright/test";

import { runChecks } from "../support/checks";
import { citiesOf, STATES } from "../support/cities";
import { expect, test } from "../support/fixtures";
import { expectColumns } from "../support/layout";
import { open } from "../support/screens";

const HOME = { name: "home", path: "/", heading: "Browse by state. Know what you are reading." };

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
  "Why do you ask my age, and is it stored?",
  "Where do my sign-up details go?",
  "How do you earn money?",
  "Do you verify advertisers?",
  "Is escorting legal?",
  "How do I report trafficking, a minor or a stolen photo?",
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
          page.getByText("A sample companionship directory for the United States, for adults only."),
        ).toBeInViewport();
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
        await expect(page.getByRole("heading", { level: 2 }).first()).toHaveText("Read before you meet anyone");
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
