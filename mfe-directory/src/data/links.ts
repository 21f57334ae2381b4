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

/** Path of an ad's page within a city. */
export function adPath({ state, city }: Place, id: number): string {
  return pathTo("/city/:state/:city/ad/:ad", { state, city, ad: String(id) });
}
