import { CITY_TABLE } from "./cities";
import { findState } from "./states";

/** A city and the state it lies in, by name. */
export interface Place {
  readonly state: string;
  readonly city: string;
}

/** The cities of a known state, without repeats; none where the city table has no entry for it. */
export async function citiesOf(state: string, table = CITY_TABLE): Promise<readonly string[]> {
  const load = table[state];
  if (!load) return [];
  return [...new Set((await load()).default)];
}

/** The place that a path's state and city name, or undefined. Names match exactly. */
export async function findPlace(params: Readonly<Record<string, string>>): Promise<Place | undefined> {
  const { state, city } = params;
  if (state === undefined || city === undefined || !findState(state)) return undefined;
  const cities = await citiesOf(state);
  return cities.includes(city) ? { state, city } : undefined;
}
