import { notFound, type NotFound } from "@colonnade/kit";

import { loadGeography } from "./geography";
import { statePath, type Place } from "./links";

/** Returns the cities of a state without duplicates, or an empty list if it has none. */
export async function citiesOf(state: string): Promise<readonly string[]> {
  return [...new Set((await loadGeography(state))?.cities)];
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

/** The not-found page of a city, which links its state if there is one with this name. */
export async function cityNotFound(state = ""): Promise<NotFound> {
  const hasState = (await citiesOf(state)).length > 0;
  return notFound("City not found", {
    text: "We don’t list a city with this name in this state. Small towns have no page.",
    ...(hasState && { link: { label: `All cities in ${state}`, path: statePath(state) } }),
  });
}
