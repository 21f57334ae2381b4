// Figures in prose against their data. Articles and directory are separate packages, so only this test compares them.
import ads from "../../mfe-directory/content/ads.json" with { type: "json" };
import dataset from "../../mfe-directory/data/us-cities.meta.json" with { type: "json" };
import { citiesOf, STATES } from "../support/cities";
import { expect, test } from "../support/fixtures";
import { ARTICLES } from "../support/screens";

const WORDS = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];

function inDigits(count: number): string {
  return count.toLocaleString("en-US");
}

function inWords(count: number): string {
  return WORDS[count] ?? inDigits(count);
}

/** `a, b, and c`. */
function listed(names: readonly string[]): string {
  return new Intl.ListFormat("en-US").format(names);
}

const LISTS = STATES.map((state) => ({ state, count: citiesOf(state).length }));
const LONGEST = LISTS.toSorted((one, other) => other.count - one.count);
const TOTAL = LISTS.reduce((sum, { count }) => sum + count, 0);

/** The article's sentences about the number and length of the lists. */
function sentencesOnLists(): readonly string[] {
  const [first, ...followers] = LONGEST.slice(0, 5).map(({ state, count }) => ({ state, count: String(count) }));
  const [shortest, next] = [...new Set(LISTS.map(({ count }) => count))].sort((one, other) => one - other);
  const statesWith = (count: number | undefined): string[] =>
    LISTS.filter((list) => list.count === count).map(({ state }) => state);
  const ordered = LONGEST.map(({ count }) => count);
  const half = ordered.length / 2;
  const median = ((ordered[half - 1] ?? 0) + (ordered[half] ?? 0)) / 2;
  const listsNaming = (name: string): number => STATES.filter((state) => citiesOf(state).includes(name)).length;
  return [
    `The result is ${String(STATES.length)} lists.`,
    `The longest is ${String(first?.state)}’s, with ${String(first?.count)} cities, followed by ${listed(followers.map(({ state, count }) => `${state} with ${count}`))}.`,
    `The shortest is ${listed(statesWith(shortest))}’s, with ${String(shortest)}; ${listed(statesWith(next))} have ${String(next)} each.`,
    `The median is ${String(median)}.`,
    `There are ${inWords(listsNaming("Springfield"))} cities named Springfield in these lists and ${inWords(listsNaming("Middletown"))} named Middletown.`,
  ];
}

/** The article's sentences about population thresholds. */
function sentencesOnThresholds(): readonly string[] {
  const lowered = Object.entries(dataset.lowered);
  const groups = [...new Set(lowered.map(([, least]) => least))]
    .sort((one, other) => one - other)
    .map((least) => {
      const states = lowered.filter(([, other]) => other === least).map(([state]) => state);
      return `${inDigits(least)} in ${listed(states)}`;
    });
  return [
    `That’s ${inDigits(dataset.base_threshold)} residents, according to GeoNames.`,
    `In ${inWords(lowered.length)} states with few large places it’s lower: ${groups.join(", ")}.`,
  ];
}

test("The guide to top cities states the figures of the city table", async ({ page }) => {
  await page.goto("/about-escort-babylon/top-cities");
  const text = page.getByRole("article");
  await expect(text).toContainText(`the ${inDigits(TOTAL)} city pages`);
  for (const sentence of [...sentencesOnThresholds(), ...sentencesOnLists()])
    await expect(text).toContainText(sentence);
});

test("Its table agrees with its text and with the city table", async ({ page }) => {
  await page.goto("/about-escort-babylon/top-cities");
  const rows = await page
    .getByRole("table")
    .locator("tbody tr")
    .evaluateAll((all) => all.map((row) => [...row.children].map((cell) => cell.textContent)));
  const places = rows.map(([, city = "", state = "", residents = ""]) => ({
    city,
    state,
    residents: Number(residents.replaceAll(",", "")),
  }));
  expect(places).toHaveLength(10);
  for (const { city, state } of places) expect(citiesOf(state), state).toContain(city);
  const residents = places.map((place) => place.residents);
  expect(residents).toEqual(residents.toSorted((one, other) => other - one));
  expect(Math.min(...residents)).toBeGreaterThan(1_000_000);

  const named = (name: string): number => places.find(({ city }) => city === name)?.residents ?? 0;
  const text = page.getByRole("article");
  await expect(text).toContainText(
    `Phoenix and Philadelphia are only ${inDigits(named("Phoenix") - named("Philadelphia"))} people apart`,
  );
  const statesWith = (share: number): ReadonlySet<string> =>
    new Set(
      places.map(({ state }) => state).filter((state, _, all) => all.filter((own) => own === state).length === share),
    );
  expect(statesWith(3)).toEqual(new Set(["California", "Texas"]));
  expect(statesWith(1).size).toBe(4);
});

for (const width of [320, 768, 1280]) {
  test(`The figures of the articles fit ${String(width)} px`, async ({ page }) => {
    await page.setViewportSize({ width, height: 800 });
    for (const article of ["top-cities", "platform-evolution", "red-flags", "legal-guide"]) {
      await page.goto(`/about-escort-babylon/${article}`);
      const figure = page.getByRole("figure");
      await expect(figure.locator("figcaption")).toBeVisible();
      const { right, clipped } = await figure.evaluate((element) => ({
        right: element.getBoundingClientRect().right,
        clipped: [...element.querySelectorAll("*")].filter(
          (part) => part.getBoundingClientRect().right > element.getBoundingClientRect().right,
        ).length,
      }));
      expect(right, article).toBeLessThanOrEqual(width);
      expect(clipped, article).toBe(0);
    }
  });
}

test("The bars of the top cities are proportional to their residents", async ({ page }) => {
  await page.goto("/about-escort-babylon/top-cities");
  const lengths = await page
    .getByRole("figure")
    .locator("rect")
    .evaluateAll((bars) => bars.map((bar) => bar.getBoundingClientRect().width));
  expect(lengths).toHaveLength(10);
  // Chicago and New York.
  expect((lengths[2] ?? 0) / (lengths[0] ?? 1)).toBeCloseTo(2_746_388 / 8_804_190, 2);
});

test("Statements about the site's size are correct", async ({ page }) => {
  const [featured, regular] = [ads.featured.length, ads.regular.length];
  const all = featured + regular;
  await page.goto("/about-escort-babylon/what-is-escort-babylon");
  const text = page.getByRole("article");
  await expect(text).toContainText(`the ${String(STATES.length)} states and for each of ${inDigits(TOTAL)} cities`);
  await expect(text).toContainText(`${inWords(ARTICLES.length)} guides`);
  await expect(text).toContainText(`This site wrote all ${String(all)} of them.`);
  const [first = "", ...rest] = inWords(featured);
  await expect(text).toContainText(
    `${first.toUpperCase()}${rest.join("")} are featured; the other ${String(regular)} are regular ones.`,
  );
  await page.goto("/");
  await expect(page.getByRole("main")).toContainText(`${String(STATES.length)} states, ${inDigits(TOTAL)} cities`);
  await expect(page.getByRole("main")).toContainText(`Every city draws from the same ${String(all)} ads.`);
});
