import type { IndexedCity } from "../../data/cityIndex";
import type { Place } from "../../data/places";
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
  /** The place that the query names, if it is known to have no page. */
  readonly unlisted?: string;
}

/** Maximum number of cities in a result. */
export const MAX_CITIES = 7;
const MAX_STATES = 5;

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
  // In alphabetical order.
  size: 0,
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
  ["okc", "oklahoma city"],
  ["philly", "philadelphia"],
  ["sf", "san francisco"],
  ["slc", "salt lake city"],
]);

const DIRECTIONS: Readonly<Partial<Record<string, string>>> = { n: "north", s: "south", e: "east", w: "west" };
const WASHINGTON_DC = /^(?:washington )?(?:d ?c|district of columbia)$/;

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

function searchCities(cities: readonly SearchedCity[], query: string): Ranked<SearchedCity> {
  const parts = splits(query);
  const nickname = NICKNAMES.get(query.replaceAll(" ", ""));
  return ranked(cities, (city) =>
    nickname !== undefined && city.spellings.includes(nickname) ? EXACT : rankCity(city, query, parts),
  );
}

/**
 * Finds states and cities by the start of a name or of a word in it. A state is also found by its postal code, and a city
 * by its name with its state: "austin tex", "Los Angeles, CA". Of cities that match equally, the larger comes first. If
 * nothing matches, finds the cities of the corrected query.
 */
export function findPlaces(typed: string, cities: readonly SearchedCity[]): FoundPlaces {
  const query = foldName(typed);
  const nothing = { states: [], cities: [], cityCount: 0, citiesFirst: false };
  if (query === "") return nothing;
  if (WASHINGTON_DC.test(query)) return { ...nothing, unlisted: "Washington, D.C.," };
  const states = ranked(SEARCHED_STATES, (state) => rankState(state, query));
  let found = searchCities(cities, query);
  if (found.best === NONE && states.best === NONE) found = searchCities(cities, corrected(query));
  return {
    states: states.found.slice(0, MAX_STATES).map(({ state }) => state),
    cities: found.found.slice(0, MAX_CITIES).map(({ place }) => place),
    cityCount: found.found.length,
    citiesFirst: found.best < states.best,
  };
}
