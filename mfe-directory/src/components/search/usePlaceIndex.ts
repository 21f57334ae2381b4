import { useState } from "react";

import { loadCityIndex } from "../../data/cityIndex";
import type { FoundPlaces } from "./findPlaces";

type Find = (query: string) => FoundPlaces;

// Shared by the searches of all pages. Folding the names takes milliseconds.
let findAll: Find | undefined;

/** The places to search, as far as they are loaded. */
export interface PlaceIndex {
  /** Finds states once the code is loaded, and cities once the index is. Undefined before. */
  readonly find: Find | undefined;
  readonly state: "idle" | "loading" | "loaded" | "failed";
  /** Loads code and index on first use. A failure is not retried, because the visitor may be about to press the button. */
  readonly load: () => void;
  readonly retry: () => void;
}

/** Loads the code of the search and the index of cities on request. */
export function usePlaceIndex(): PlaceIndex {
  const [state, setState] = useState<PlaceIndex["state"]>(findAll ? "loaded" : "idle");
  const [find, setFind] = useState<Find | undefined>(() => findAll);
  const retry = (): void => {
    setState("loading");
    const code = import("./findPlaces").then((module) => {
      setFind((current: Find | undefined) => current ?? ((query: string) => module.findPlaces(query, [])));
      return module;
    });
    Promise.all([code, loadCityIndex()]).then(
      ([{ findPlaces, toSearchedCities }, indexed]) => {
        const cities = toSearchedCities(indexed);
        findAll ??= (query) => findPlaces(query, cities);
        setFind(() => findAll);
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
  return { find, state, load, retry };
}
