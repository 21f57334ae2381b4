import url from "./cityIndex.txt?url";

import type { Place } from "./links";

// The file arrives in 9 s at 30 kbit/s, and the server responds in 8 s.
const TIMEOUT_MS = 17_000;

/** A city of the index. */
export interface IndexedCity {
  readonly place: Place;
  /** Class of the population. A larger city has a larger one, or the same. */
  readonly size: number;
}

let loading: Promise<readonly IndexedCity[]> | undefined;

async function load(): Promise<readonly IndexedCity[]> {
  const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) });
  if (!response.ok) throw new Error(`${url} answered ${String(response.status)}`);
  return parseCityIndex(await response.text());
}

/** Parses the index. scripts/index-cities.mjs describes its format. */
export function parseCityIndex(text: string): readonly IndexedCity[] {
  return text
    .trimEnd()
    .split("\n")
    .flatMap((line) => {
      const [state = "", ...cities] = line.split("|");
      return cities.map((city) => ({
        place: { state, city: city.slice(0, -1) },
        size: Number.parseInt(city.slice(-1), 36),
      }));
    });
}

/** Loads all cities of all states, once. Rejects if that fails; the next call tries again. */
export function loadCityIndex(): Promise<readonly IndexedCity[]> {
  loading ??= load().catch((error: unknown) => {
    loading = undefined;
    throw error;
  });
  return loading;
}
