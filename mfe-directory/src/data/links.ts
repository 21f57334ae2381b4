import { pathTo } from "@colonnade/kit";

/** The name of a city and its state. */
export interface Place {
  readonly state: string;
  readonly city: string;
}

/** Path of a state's page. */
export function statePath(state: string): string {
  return pathTo("/state/:state", { state });
}

/** Path of a city's page. */
export function cityPath({ state, city }: Place): string {
  return pathTo("/city/:state/:city", { state, city });
}

/** Returns a function that returns the path of a city of this state: for a long list faster than {@link cityPath}. */
export function cityPathsOf(state: string): (city: string) => string {
  const cities = pathTo("/city/:state", { state });
  return (city) => `${cities}/${encodeURIComponent(city)}`;
}

/** Path of an ad's page within a city. */
export function adPath({ state, city }: Place, id: number): string {
  return pathTo("/city/:state/:city/ad/:ad", { state, city, ad: String(id) });
}
