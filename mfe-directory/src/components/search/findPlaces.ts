import { distance } from "fastest-levenshtein";

import type { IndexedCity } from "../../data/cityIndex";
import type { Place } from "../../data/links";
import { STATES, type State } from "../../data/states";
import { foldName, spellings } from "../../text/foldName";

/** A city with its folded spellings. */
interface SearchedCity extends IndexedCity {
  readonly spellings: readonly string[];
}

/** Places that match a query, best first. */
export interface FoundPlaces {
  readonly states: readonly State[];
  /** At most {@link MAX_CITIES}. */
  readonly cities: readonly Place[];
  /** Number of all matching cities. */
  readonly cityCount: number;
  /** Whether a city matches better than every state. */
  readonly citiesFirst: boolean;
  /** Whether no name matches, and these are the places with the most similar names. */
  readonly similar?: boolean;
  /** Why there is no page for the query, if that is known. */
  readonly note?: string;
  /** The state that the query names, if nothing in it matches. */
  readonly near?: State;
}

/** Maximum number of cities in a result. */
export const MAX_CITIES = 7;
const MAX_STATES = 5;
const MAX_SIMILAR = 3;

// Ranks of a match, best first.
const EXACT = 0;
const START = 1;
const START_IN_STATE = 2;
const WORD = 3;
const NONE = 4;
// The rank of a city whose name, with that rank, is followed by its state. It is less than the start of a longer name:
// "fort w" finds Fort Worth before Fort Atkinson in Wisconsin.
const RANK_WITH_STATE: readonly number[] = [START, START_IN_STATE, NONE, WORD];

const SEARCHED_STATES = STATES.map((state) => ({
  state,
  code: state.code.toLowerCase(),
  name: foldName(state.name),
  size: state.cityCount,
}));
const STATE_BY_NAME = new Map(SEARCHED_STATES.map((searched) => [searched.state.name, searched]));

// Short names of large cities, without spaces.
const NICKNAMES: ReadonlyMap<string, string> = new Map([
  ["atl", "atlanta"],
  ["cincy", "cincinnati"],
  ["indy", "indianapolis"],
  ["jax", "jacksonville"],
  ["kc", "kansas city"],
  ["la", "los angeles"],
  ["nola", "new orleans"],
  ["nyc", "new york"],
  ["nycity", "new york"],
  ["okc", "oklahoma city"],
  ["philly", "philadelphia"],
  ["sf", "san francisco"],
  ["slc", "salt lake city"],
]);

const DIRECTIONS: Readonly<Partial<Record<string, string>>> = { n: "north", s: "south", e: "east", w: "west" };
const NOT_LISTED: readonly (readonly [name: RegExp, note: string])[] = [
  [/^(?:washington )?(?:d ?c|district of columbia)$/, "Washington, D.C., has no page here."],
  [/^(?:(?:san juan )?puerto rico|san juan pr)$/, "Puerto Rico has no page here."],
  [/^guam$/, "Guam has no page here."],
  [
    /^(?:(?:(?:st|saint) (?:thomas|croix) )?(?:(?:u ?s )?virgin islands|u ?s ?v ?i)|(?:st|saint) (?:thomas|croix)(?: vi)?)$/,
    "The U.S. Virgin Islands have no page here.",
  ],
  [/^american samoa$/, "American Samoa has no page here."],
  [/^(?:northern mariana islands|cnmi|saipan)$/, "The Northern Mariana Islands have no page here."],
];

const ZIP_NOTE = "ZIP codes can’t be searched here. Type the name of a city or a state.";
// No name has a number.
const NUMBERS = /(?:^| )\d+(?= |$)/g;

/** Corrects a query that matches no place: "new york city" to "new york", "n las vegas" to "north las vegas". */
function corrected(query: string): string {
  return query.replace(/ city\b/, "").replace(/^[nsew](?= )/, (letter) => DIRECTIONS[letter] ?? letter);
}

function rankName(name: string, query: string): number {
  if (name === query) return EXACT;
  if (name.startsWith(query)) return START;
  return name.includes(` ${query}`) ? WORD : NONE;
}

function rankState({ code, name }: (typeof SEARCHED_STATES)[number], query: string): number {
  return code === query ? EXACT : rankName(name, query);
}

/** How the query could be split into a name and a state: "austin tex" into "austin" and "tex". */
function splits(query: string): readonly (readonly [name: string, state: string])[] {
  const words = query.split(" ");
  return words.slice(1).map((_, index) => [words.slice(0, index + 1).join(" "), words.slice(index + 1).join(" ")]);
}

/** The same with the state first: "illinois springfield". */
function reversedSplits(query: string): ReturnType<typeof splits> {
  return splits(query).map(([state, name]) => [name, state]);
}

function rankCity({ place, spellings: names }: SearchedCity, query: string, parts: ReturnType<typeof splits>): number {
  let best = Math.min(...names.map((name) => rankName(name, query)));
  const state = STATE_BY_NAME.get(place.state);
  for (const [name, suffix] of parts) {
    if (!state || (state.code !== suffix && !state.name.startsWith(suffix))) continue;
    const rank = Math.min(...names.map((spelling) => rankName(spelling, name)));
    best = Math.min(best, RANK_WITH_STATE[rank] ?? NONE);
  }
  return best;
}

interface Ranked<T> {
  readonly found: readonly T[];
  /** Best rank of an item. */
  readonly best: number;
}

/** Returns the items with a rank: by rank, then by size, otherwise in order. */
function ranked<T extends { readonly size: number }>(items: readonly T[], rankOf: (item: T) => number): Ranked<T> {
  const byRank: T[][] = [[], [], [], []];
  for (const item of items) byRank[rankOf(item)]?.push(item);
  for (const same of byRank) same.sort((a, b) => b.size - a.size);
  const best = byRank.findIndex(({ length }) => length > 0);
  return { found: byRank.flat(), best: best < 0 ? NONE : best };
}

/** Prepares cities for {@link findPlaces}. */
export function toSearchedCities(cities: readonly IndexedCity[]): readonly SearchedCity[] {
  return cities.map((city) => ({ ...city, spellings: spellings(city.place.city) }));
}

function searchCities(
  cities: readonly SearchedCity[],
  query: string,
  parts: ReturnType<typeof splits>,
): Ranked<SearchedCity> {
  const nickname = NICKNAMES.get(query.replaceAll(" ", ""));
  return ranked(cities, (city) =>
    nickname !== undefined && city.spellings.includes(nickname) ? EXACT : rankCity(city, query, parts),
  );
}

/** The letters that a name of this length may differ in. Short names have too many neighbors. */
function tolerance({ length }: string): number {
  if (length < 4) return 0;
  return length < 8 ? 1 : 2;
}

/** The items with the least difference, and of these the largest. */
function mostSimilar<T extends { readonly size: number }>(
  items: readonly T[],
  differenceOf: (item: T) => number,
): readonly T[] {
  const near = items.map((item) => ({ item, letters: differenceOf(item) }));
  return near
    .filter(({ letters }) => letters < Infinity)
    .sort((a, b) => a.letters - b.letters || b.item.size - a.item.size)
    .slice(0, MAX_SIMILAR)
    .map(({ item }) => item);
}

/** Whether two letters that follow each other are exchanged: "tuscon". */
function isSwap(name: string, typed: string): boolean {
  const at = Array.from(typed).findIndex((letter, index) => letter !== name[index]);
  return typed.slice(0, at) + (typed[at + 1] ?? "") + (typed[at] ?? "") + typed.slice(at + 2) === name;
}

/** The number of letters that differ; exchanged ones count once. Infinity if there are too many or another first letter. */
function difference(spelling: string, query: string): number {
  const [name, typed] = [spelling.replaceAll(" ", ""), query.replaceAll(" ", "")];
  // The first letter may be missing, extra or exchanged with the second.
  if (!typed.slice(0, 2).includes(name.charAt(0)) && !name.slice(0, 2).includes(typed.charAt(0))) return Infinity;
  const letters = isSwap(name, typed) ? 1 : distance(name, typed);
  return letters <= tolerance(query) ? letters : Infinity;
}

/** The letters after a name: "seattle mariners". Infinity if the query does not start with the name. */
function lettersAfter(name: string, query: string): number {
  return query.startsWith(`${name} `) ? query.length - name.length : Infinity;
}

/** A name, and the state that the query names beside it. */
interface Reading {
  readonly name: string;
  readonly state?: State;
}

function readings(
  parts: ReturnType<typeof splits>,
  isNamed: (state: (typeof SEARCHED_STATES)[number], typed: string) => boolean,
): readonly Reading[] {
  return SEARCHED_STATES.flatMap((searched) =>
    parts.filter(([, typed]) => isNamed(searched, typed)).map(([name]) => ({ name, state: searched.state })),
  );
}

/**
 * Finds the places whose names differ from the query by a letter or two. If it names a state, finds only cities in that;
 * a state before the name, a misspelled one, or one with words after it ("portland me usa") counts if the query as a whole
 * is similar to nothing. If nothing is similar, finds the places with whose names the query starts.
 */
function findSimilar(query: string, cities: readonly SearchedCity[]): FoundPlaces {
  const isState = ({ code, name }: { code: string; name: string }, typed: string): boolean =>
    typed === code || typed === name;
  let states = mostSimilar(SEARCHED_STATES, ({ name }) => difference(name, query));
  const after = readings(splits(query), isState);
  const before = readings(reversedSplits(query), isState);
  const misspelled = readings(
    [...splits(query), ...reversedSplits(query)],
    ({ name }, typed) => difference(name, typed) < Infinity,
  );
  const followed = readings(splits(query), ({ code, name }, typed) =>
    [code, name].some((state) => typed.startsWith(`${state} `)),
  );
  // A code before the name may be a word: "la jolla", "in town".
  const near = after[0]?.state ?? SEARCHED_STATES.find(({ name }) => query.startsWith(`${name} `))?.state;
  const similar = (names: readonly Reading[], compare = difference): readonly SearchedCity[] =>
    mostSimilar(cities, ({ place, spellings: spelled }) => {
      const typed = names.filter(({ state }) => !state || state.name === place.state);
      return Math.min(...typed.flatMap(({ name }) => spelled.map((spelling) => compare(spelling, name))));
    });
  const named = after.length > 0 ? after : [{ name: query }];
  let found = similar(named);
  for (const names of after.length > 0 ? [] : [before, misspelled, followed])
    if (states.length === 0 && found.length === 0) found = similar(names);
  if (states.length === 0 && found.length === 0) {
    states = mostSimilar(SEARCHED_STATES, ({ name }) => lettersAfter(name, query));
    found = similar(named, lettersAfter);
  }
  return {
    states: states.map(({ state }) => state),
    cities: found.map(({ place }) => place),
    cityCount: found.length,
    citiesFirst: false,
    similar: true,
    ...(near && { near }),
  };
}

/**
 * Finds states and cities by the start of a name or of a word in it. A state is also found by its postal code, and a city
 * by its name with its state: "austin tex", "Los Angeles, CA". Numbers, such as a ZIP code, are ignored. Of places that match equally, the larger comes first. If
 * nothing matches, finds the cities of the corrected query, and then the places with the most similar names.
 */
export function findPlaces(typed: string, cities: readonly SearchedCity[]): FoundPlaces {
  const folded = foldName(typed);
  const query = folded.replace(NUMBERS, "").trim();
  const nothing = { states: [], cities: [], cityCount: 0, citiesFirst: false };
  if (query === "") return folded === "" ? nothing : { ...nothing, note: ZIP_NOTE };
  const notListed = NOT_LISTED.find(([name]) => name.test(query));
  if (notListed) return { ...nothing, note: notListed[1] };
  const states = ranked(SEARCHED_STATES, (state) => rankState(state, query));
  let found = searchCities(cities, query, splits(query));
  for (const [again, parts] of [
    [corrected(query), splits(corrected(query))],
    [query, reversedSplits(query)],
  ] as const) {
    if (found.best === NONE && states.best === NONE) found = searchCities(cities, again, parts);
  }
  if (found.best === NONE && states.best === NONE) return findSimilar(query, cities);
  return {
    states: states.found.slice(0, MAX_STATES).map(({ state }) => state),
    cities: found.found.slice(0, MAX_CITIES).map(({ place }) => place),
    cityCount: found.found.length,
    citiesFirst: found.best < states.best,
  };
}
