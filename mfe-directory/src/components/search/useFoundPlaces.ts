import { useEffect, useMemo, useState } from "react";

import { loadCityIndex } from "../../data/cityIndex";
import { findPlaces, toSearchedCities, type FoundPlaces } from "./findPlaces";

type Cities = ReturnType<typeof toSearchedCities>;

// Shared by the searches of all pages. Folding the names takes milliseconds.
let all: Cities | undefined;

/** The places that match what is typed: states at once, and cities when their index is loaded. */
export function useFoundPlaces(typed: string): {
  readonly found: FoundPlaces;
  readonly state: "loading" | "loaded" | "failed";
  readonly retry: () => void;
} {
  const [cities, setCities] = useState(all);
  const [state, setState] = useState<"loading" | "loaded" | "failed">(all ? "loaded" : "loading");
  const load = (): void => {
    loadCityIndex().then(
      (indexed) => {
        all ??= toSearchedCities(indexed);
        setCities(all);
        setState("loaded");
      },
      () => {
        setState("failed");
      },
    );
  };
  useEffect(() => {
    if (!all) load();
  }, []);
  const retry = (): void => {
    setState("loading");
    load();
  };
  const found = useMemo(() => findPlaces(typed, cities ?? []), [typed, cities]);
  return { found, state, retry };
}
