import type { AdSet } from "../data/ad";
import type { Place } from "../data/places";
import { cityPath } from "../data/links";
import { drawAds, isDrawnList } from "./drawAds";
import type { DrawBelow } from "./random";

/** The session storage key of a place's list. */
export function storageKey(place: Place): string {
  return `ads:${cityPath(place)}`;
}

// Accessing `sessionStorage` throws if the browser denies storage.
function read(storage: () => Storage, key: string): unknown {
  try {
    return JSON.parse(storage().getItem(key) ?? "null");
  } catch {
    return null;
  }
}

function write(storage: () => Storage, key: string, ids: readonly number[]): void {
  try {
    storage().setItem(key, JSON.stringify(ids));
  } catch {
    // Storage is full or denied: the next page view draws a new list.
  }
}

/**
 * Loads this tab's list for a place from session storage, or draws and stores a new one. The stored value is untrusted:
 * a list that could not have been drawn is replaced.
 */
export function loadOrDrawAds(
  place: Place,
  ads: AdSet,
  below: DrawBelow,
  storage = () => sessionStorage,
): readonly number[] {
  const key = storageKey(place);
  const stored = read(storage, key);
  if (isDrawnList(stored, ads)) return stored;
  const drawn = drawAds(ads, below);
  write(storage, key, drawn);
  return drawn;
}
