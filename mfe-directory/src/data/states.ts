import type { Layout } from "@colonnade/kit";

/** A state of the United States. */
export interface State {
  readonly name: string;
  /** Number of cities in the city table. */
  readonly cityCount: number;
  /** Header of the state's page. */
  readonly header: Layout["header"];
}

const HEADERS: Readonly<Partial<Record<string, Layout["header"]>>> = {
  Alabama: "plain",
  Alaska: "plain",
  Arizona: "plain",
  Oklahoma: "logo",
};

// Number of distinct cities per state, so that the home page need not load the lists. A test verifies them.
const CITY_COUNTS: Readonly<Record<string, number>> = {
  Alabama: 40,
  Alaska: 9,
  Arizona: 43,
  Arkansas: 26,
  California: 371,
  Colorado: 38,
  Connecticut: 57,
  Delaware: 8,
  Florida: 176,
  Georgia: 72,
  Hawaii: 18,
  Idaho: 14,
  Illinois: 163,
  Indiana: 59,
  Iowa: 30,
  Kansas: 25,
  Kentucky: 33,
  Louisiana: 27,
  Maine: 12,
  Maryland: 80,
  Massachusetts: 119,
  Michigan: 74,
  Minnesota: 70,
  Mississippi: 28,
  Missouri: 51,
  Montana: 12,
  Nebraska: 12,
  Nevada: 19,
  "New Hampshire": 12,
  "New Jersey": 118,
  "New Mexico": 14,
  "New York": 175,
  "North Carolina": 63,
  "North Dakota": 9,
  Ohio: 119,
  Oklahoma: 33,
  Oregon: 41,
  Pennsylvania: 52,
  "Rhode Island": 23,
  "South Carolina": 29,
  "South Dakota": 9,
  Tennessee: 41,
  Texas: 182,
  Utah: 48,
  Vermont: 11,
  Virginia: 68,
  Washington: 69,
  "West Virginia": 10,
  Wisconsin: 54,
  Wyoming: 10,
};

/** All 50 states in alphabetical order. Their cities are in separate chunks; see `citiesOf` in places.ts. */
export const STATES: readonly State[] = Object.entries(CITY_COUNTS).map(([name, cityCount]) => ({
  name,
  cityCount,
  header: HEADERS[name] ?? "menu",
}));

/** Finds a state by its exact name. */
export function findState(name: string | undefined): State | undefined {
  return STATES.find((state) => state.name === name);
}
