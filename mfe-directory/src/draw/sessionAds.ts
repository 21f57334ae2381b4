import { readTabJson, writeTab, type TabKey } from "@colonnade/design/tab";

import type { AdSet } from "../data/ad";
import type { Place } from "../data/links";
import { cityPath } from "../data/links";
import { drawAds, isDrawnList } from "./drawAds";
import type { DrawBelow } from "./random";

/** The session storage key of a place's list. */
export function storageKey(place: Place): TabKey {
  return `ads:${cityPath(place)}`;
}

/**
 * Loads this tab's list for a place from session storage, or draws and stores a new one. The stored value is untrusted:
 * a list that could not have been drawn is replaced.
 */
export function loadOrDrawAds(place: Place, ads: AdSet, below: DrawBelow): readonly number[] {
  const key = storageKey(place);
  const stored = readTabJson(key);
  if (isDrawnList(stored, ads)) return stored;
  const drawn = drawAds(ads, below);
  // If storage is full or denied, the next page view draws a new list.
  writeTab(key, JSON.stringify(drawn));
  return drawn;
}
