// Figures in prose against their data. Articles and directory are separate packages, so only this test compares them. What a
// page shows of its Markdown, component tests check, so this needs no browser.
import { readFileSync } from "node:fs";
import path from "node:path";

import ads from "../../mfe-directory/content/ads.json" with { type: "json" };
import dataset from "../../mfe-directory/data/us-cities.meta.json" with { type: "json" };
import { citiesOf, STATES } from "../support/cities";
import { expect, test } from "../support/own-pages";
import { ROOT } from "../support/repository.mjs";
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

/** The words of a Markdown file of a section. */
function textIn(file: string): string {
  const markdown = readFileSync(path.join(ROOT, file), "utf8");
  return markdown.replace(/\[([^\]]+)\]\([^)]+\)|\*\*/g, "$1");
}

const TOP_CITIES = textIn("mfe-articles/content/top-cities.md");

test("The guide to top cities states the figures of the city table", () => {
  expect(TOP_CITIES).toContain(`the ${inDigits(TOTAL)} city pages`);
  for (const sentence of [...sentencesOnThresholds(), ...sentencesOnLists()]) expect(TOP_CITIES).toContain(sentence);
});

test("Its table agrees with its text and with the city table", () => {
  const places = [...TOP_CITIES.matchAll(/^> \| \d+ +\| (.+?) +\| (.+?) +\| +([\d,]+) \|$/gm)].map(
    ([, city = "", state = "", residents = ""]) => ({ city, state, residents: Number(residents.replaceAll(",", "")) }),
  );
  expect(places).toHaveLength(10);
  for (const { city, state } of places) expect(citiesOf(state), state).toContain(city);
  const residents = places.map((place) => place.residents);
  expect(residents).toEqual(residents.toSorted((one, other) => other - one));
  expect(Math.min(...residents)).toBeGreaterThan(1_000_000);

  const named = (name: string): number => places.find(({ city }) => city === name)?.residents ?? 0;
  const difference = inDigits(named("Phoenix") - named("Philadelphia"));
  expect(TOP_CITIES).toContain(`Phoenix and Philadelphia are only ${difference} people apart`);
  const statesWith = (share: number): ReadonlySet<string> =>
    new Set(
      places.map(({ state }) => state).filter((state, _, all) => all.filter((own) => own === state).length === share),
    );
  expect(statesWith(3)).toEqual(new Set(["California", "Texas"]));
  expect(statesWith(1).size).toBe(4);
});

test("Statements about the site's size are correct", () => {
  const [featured, regular] = [ads.featured.length, ads.regular.length];
  const all = String(featured + regular);
  const text = textIn("mfe-articles/content/what-is-escort-babylon.md");
  expect(text).toContain(`the ${String(STATES.length)} states and for each of ${inDigits(TOTAL)} cities`);
  expect(text).toContain(`${inWords(ARTICLES.length)} guides`);
  expect(text).toContain(`This site wrote all ${all} of them.`);
  const [first = "", ...rest] = inWords(featured);
  expect(text).toContain(
    `${first.toUpperCase()}${rest.join("")} are featured; the other ${String(regular)} are regular ones.`,
  );
  const answer = textIn("mfe-directory/content/faq/02-are-ads-real.md");
  expect(answer).toContain(`Every city draws from the same ${all} ads.`);
});
