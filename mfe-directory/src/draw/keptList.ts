import type { AdSet } from "../data/ad";
import type { Place } from "../data/places";
import { cityPath } from "../data/links";
import { drawAds, isDrawnList } from "./drawAds";
import type { DrawBelow } from "./random";

/** Key of a place's list in session storage. */
export function storageKey(place: Place): string {
  return `ads:${cityPath(place)}`;
}

// Even naming the storage throws where the browser denies it.
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
    // Full or denied: the list lives as long as the page shows it, and the next visit draws anew.
  }
}

/**
 * The list of a place as this tab has seen it before, or a new one, which is kept. What the storage holds is not
 * trusted: anything that could not have been drawn is replaced.
 */
export function keptList(
  place: Place,
  ads: AdSet,
  below: DrawBelow,
  storage = () => sessionStorage,
): readonly number[] {
  const key = storageKey(place);
  const kept = read(storage, key);
  if (isDrawnList(kept, ads)) return kept;
  const drawn = drawAds(ads, below);
  write(storage, key, drawn);
  return drawn;
}
