import { citiesOf, STATES } from "../support/cities";
import { expect, test } from "../support/fixtures";
import { expectColumns } from "../support/layout";
import { expectScreen, open } from "../support/screens";

const HOME = { name: "home", path: "/", heading: "Browse by state. Know what you are reading." };

// Screen widths and how many columns the grid of states has there.
const COLUMNS = [
  [320, 2],
  [768, 3],
  [1024, 4],
  [1280, 5],
] as const;

test.beforeEach(async ({ page }) => {
  await open(page, HOME);
});

test("the header has a logo and the same menu as other pages", async ({ page }) => {
  const header = page.getByRole("banner");
  await expect(header.getByRole("link", { name: "Colonnade Directory" })).toHaveAttribute("href", "/");
  await header.getByText("Menu", { exact: true }).click();
  await expect(header.getByRole("navigation").getByRole("link")).toHaveText(["Home", "About"]);
  await expect(header.getByRole("button", { name: "Join Free" })).toBeVisible();
});

test("a hero opens the page", async ({ page }) => {
  const heading = page.getByRole("heading", { level: 1 });
  await expect(heading).toBeInViewport();
  await expect(
    page.getByText("A sample companionship directory for the United States, for adults only."),
  ).toBeInViewport();
  await page.getByRole("link", { name: "Choose a state" }).click();
  await expect(page.getByRole("heading", { name: "Browse by state", exact: true })).toBeInViewport();
});

test.describe("the grid of states", () => {
  test("it says how many cities each state has, and the opening how many there are in all", async ({ page }) => {
    const count = (state: string): number => new Set(citiesOf(state)).size;
    const items = page.getByRole("region", { name: "Browse by state" }).getByRole("listitem");
    await expect(items).toHaveText([...STATES].sort().map((state) => `${state}${String(count(state))} cities`));
    const total = STATES.reduce((sum, state) => sum + count(state), 0);
    await expect(page.getByText(`50 states, ${total.toLocaleString("en-US")} cities`)).toBeVisible();
  });

  test("a filter box narrows it as one types, and says what is left", async ({ page }) => {
    const links = page.getByRole("region", { name: "Browse by state" }).getByRole("listitem").getByRole("link");
    const filter = page.getByRole("searchbox", { name: "Filter states" });
    const status = page.getByRole("search").getByRole("status");
    await filter.pressSequentially("new");
    await expect(links).toHaveText(["New Hampshire", "New Jersey", "New Mexico", "New York"]);
    await expect(status).toHaveText("4 of 50 states");
    await filter.fill("zzz");
    await expect(status).toHaveText("No results: no state matches “zzz”.");
    await page.getByRole("button", { name: "Show the whole list" }).click();
    await expect(links).toHaveCount(50);
    await expect(filter).toBeFocused();
    await expect(status).toBeEmpty();
  });

  test("it has all 50 states, sorted alphabetically, each linking to its state page", async ({ page }) => {
    const links = page.getByRole("region", { name: "Browse by state" }).getByRole("listitem").getByRole("link");
    await expect(links).toHaveText([...STATES].sort());
    await expect(links).toHaveCount(50);
    const targets = await links.evaluateAll((anchors) => anchors.map((anchor) => anchor.getAttribute("href")));
    expect(targets).toEqual([...STATES].sort().map((state) => `/state/${encodeURIComponent(state)}`));
    expect(targets).toContain("/state/New%20York");
  });

  test("a state's link leads to its page", async ({ page }) => {
    await page.getByRole("link", { name: "New York", exact: true }).click();
    await expectScreen(page, "Escorts in New York");
    await expect(page).toHaveURL("/state/New%20York");
  });

  test("it has 2 to 5 columns by screen width", async ({ page }) => {
    const grid = page.getByRole("region", { name: "Browse by state" }).getByRole("list");
    for (const [width, columns] of COLUMNS) {
      await page.setViewportSize({ width, height: 800 });
      await expectColumns(grid, columns);
    }
  });
});

test("benefits are listed, each with a heading and a text", async ({ page }) => {
  const benefits = page.getByRole("region", { name: "What to expect" }).getByRole("listitem");
  await expect(benefits).toHaveCount(6);
  for (const benefit of await benefits.all()) {
    await expect(benefit.getByRole("heading", { level: 3 })).not.toBeEmpty();
    await expect(benefit.getByRole("paragraph")).not.toBeEmpty();
  }
});

test("there is one testimonial", async ({ page }) => {
  await expect(page.getByRole("main").getByRole("blockquote")).toHaveCount(1);
});

test("the FAQ has 10 questions, each with question and answer", async ({ page }) => {
  const entries = page.getByRole("region", { name: "Questions and answers" }).locator("details");
  await expect(entries.locator("summary")).toHaveText([
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
  ]);
  for (const entry of await entries.all()) {
    const answer = entry.getByRole("paragraph").first();
    await expect(answer).toBeHidden();
    await entry.locator("summary").click();
    await expect(answer).toBeVisible();
    await expect(answer).toHaveText(/\w.{40}/);
  }
});

test("a call-to-action button opens the dialog", async ({ page }) => {
  await page.getByRole("main").getByRole("button", { name: "Join Free" }).click();
  await expect(page.getByRole("dialog")).toBeVisible();
});

test("'Join Free' in the footer opens the dialog", async ({ page }) => {
  await page.getByRole("contentinfo").getByRole("button", { name: "Join Free" }).click();
  await expect(page.getByRole("dialog")).toBeVisible();
});
