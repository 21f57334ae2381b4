import { readFileSync } from "node:fs";
import path from "node:path";

import { ROOT } from "./repository.mjs";

const FILE = path.join(ROOT, "mfe-directory/data/us-cities.json");
const TABLE = JSON.parse(readFileSync(FILE, "utf8")) as Readonly<Record<string, readonly string[]>>;

/** All 50 states, in the table's order. */
export const STATES: readonly string[] = Object.keys(TABLE);

/** The cities of a state, in the table's order. */
export function citiesOf(state: string): readonly string[] {
  const cities = TABLE[state];
  if (!cities) throw new Error(`${FILE} has no state "${state}"`);
  return cities;
}
