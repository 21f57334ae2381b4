import { useState } from "react";

import { loadCityIndex } from "../../data/cityIndex";
import { toSearchedCities, type SearchedCity } from "./findPlaces";

// Shared by the searches of all pages. Folding the names takes milliseconds.
let searched: readonly SearchedCity[] | undefined;

/** The cities to search, as far as they are loaded. */
export interface CityIndex {
  /** Empty until loaded. */
  readonly cities: readonly SearchedCity[];
  readonly state: "idle" | "loading" | "loaded" | "failed";
  /** Loads the cities on first use. A failure is not retried, because the visitor may be about to press the button. */
  readonly load: () => void;
  readonly retry: () => void;
}

/** Loads the index of cities on request. */
export function useCityIndex(): CityIndex {
  const [state, setState] = useState<CityIndex["state"]>(searched ? "loaded" : "idle");
  const retry = (): void => {
    setState("loading");
    loadCityIndex().then(
      (indexed) => {
        searched ??= toSearchedCities(indexed);
        setState("loaded");
      },
      () => {
        setState("failed");
      },
    );
  };
  const load = (): void => {
    if (state === "idle") retry();
  };
  return { cities: searched ?? [], state, load, retry };
}
