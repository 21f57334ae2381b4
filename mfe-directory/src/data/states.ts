import type { Layout } from "@colonnade/kit";

/** A state of the United States. */
export interface State {
  readonly name: string;
  /** The two-letter postal code, such as `TX`. */
  readonly code: string;
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

// Postal code of each state and its number of distinct cities, so that the home page need not load the lists. A test
// verifies the counts.
const TABLE: Readonly<Record<string, readonly [code: string, cityCount: number]>> = {
  Alabama: ["AL", 40],
  Alaska: ["AK", 9],
  Arizona: ["AZ", 43],
  Arkansas: ["AR", 26],
  California: ["CA", 371],
  Colorado: ["CO", 38],
  Connecticut: ["CT", 57],
  Delaware: ["DE", 8],
  Florida: ["FL", 176],
  Georgia: ["GA", 72],
  Hawaii: ["HI", 18],
  Idaho: ["ID", 14],
  Illinois: ["IL", 163],
  Indiana: ["IN", 59],
  Iowa: ["IA", 30],
  Kansas: ["KS", 25],
  Kentucky: ["KY", 33],
  Louisiana: ["LA", 27],
  Maine: ["ME", 12],
  Maryland: ["MD", 80],
  Massachusetts: ["MA", 119],
  Michigan: ["MI", 74],
  Minnesota: ["MN", 70],
  Mississippi: ["MS", 28],
  Missouri: ["MO", 51],
  Montana: ["MT", 12],
  Nebraska: ["NE", 12],
  Nevada: ["NV", 19],
  "New Hampshire": ["NH", 12],
  "New Jersey": ["NJ", 118],
  "New Mexico": ["NM", 14],
  "New York": ["NY", 175],
  "North Carolina": ["NC", 63],
  "North Dakota": ["ND", 9],
  Ohio: ["OH", 119],
  Oklahoma: ["OK", 33],
  Oregon: ["OR", 41],
  Pennsylvania: ["PA", 52],
  "Rhode Island": ["RI", 23],
  "South Carolina": ["SC", 29],
  "South Dakota": ["SD", 9],
  Tennessee: ["TN", 41],
  Texas: ["TX", 182],
  Utah: ["UT", 48],
  Vermont: ["VT", 11],
  Virginia: ["VA", 68],
  Washington: ["WA", 69],
  "West Virginia": ["WV", 10],
  Wisconsin: ["WI", 54],
  Wyoming: ["WY", 10],
};

/** All 50 states in alphabetical order. Their cities are in separate chunks; see `citiesOf` in places.ts. */
export const STATES: readonly State[] = Object.entries(TABLE).map(([name, [code, cityCount]]) => ({
  name,
  code,
  cityCount,
  header: HEADERS[name] ?? "menu",
}));

/** Finds a state by its exact name. */
export function findState(name: string | undefined): State | undefined {
  return STATES.find((state) => state.name === name);
}
