import { matchPath } from "@colonnade/kit";

import { tabKeys } from "./keys.js";

/** A city whose ads were opened in this tab. */
export interface TabCity {
  /** Path of the city's page. */
  readonly path: string;
  /** Name of the state. */
  readonly state: string;
  /** Name of the city. */
  readonly city: string;
}

/** Returns the cities whose ads were opened in this tab, in the order of their names. */
export function citiesInTab(): readonly TabCity[] {
  return tabKeys()
    .sort()
    .flatMap((key) => {
      const path = key.startsWith("ads:") ? key.slice("ads:".length) : "";
      const { state, city } = matchPath("/city/:state/:city", path) ?? {};
      return state && city ? [{ path, state, city }] : [];
    });
}
