import { CITY_TABLE } from "./cities";

/** The name of a city and its state. */
export interface Place {
  readonly state: string;
  readonly city: string;
}

/** Returns the cities of a state without duplicates, or an empty list if the table has no entry. */
export async function citiesOf(state: string, table = CITY_TABLE): Promise<readonly string[]> {
  const load = Object.hasOwn(table, state) ? table[state] : undefined;
  if (!load) return [];
  return [...new Set((await load()).default)];
}

/**
 * Returns the place for a path's state and city parameters. Names must match exactly. Does without the list of states, to
 * keep it out of the pages of cities and ads.
 */
export async function findPlace(params: Readonly<Record<string, string>>): Promise<Place | undefined> {
  const { state, city } = params;
  if (state === undefined || city === undefined) return undefined;
  const cities = await citiesOf(state);
  return cities.includes(city) ? { state, city } : undefined;
}
