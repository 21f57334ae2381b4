import { useLayoutEffect, useState } from "react";

import type { Ad } from "../data/ad";
import { ADS, ALL_ADS } from "../data/ads";
import type { Place } from "../data/places";
import { keptList } from "./keptList";
import { drawBelow } from "./random";

type Show = (ads: readonly Ad[]) => void;

// Storage and chance are outside React; they answer at once.
function askForList(place: Place, show: Show): void {
  const ids = keptList(place, ADS, drawBelow);
  show(ids.flatMap((id) => ALL_ADS.find((ad) => ad.id === id) ?? []));
}

/**
 * The ads a city shows to this visitor, or null until they are drawn, which happens in the browser only. They are
 * drawn in a layout effect, before the first paint, so that a way back finds a page of the height it had.
 */
export function useCityAds({ state, city }: Place): readonly Ad[] | null {
  const [ads, setAds] = useState<readonly Ad[] | null>(null);
  useLayoutEffect(() => {
    askForList({ state, city }, setAds);
  }, [state, city]);
  return ads;
}
