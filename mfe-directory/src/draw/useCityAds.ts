import { useLayoutEffect, useState } from "react";

import type { Ad } from "../data/ad";
import { ADS, ALL_ADS } from "../data/ads";
import type { Place } from "../data/links";
import { loadOrDrawAds } from "./sessionAds";
import { drawBelow } from "./random";

// Session storage and randomness are external to React, so this runs in an effect.
function loadAds(place: Place, onAds: (ads: readonly Ad[]) => void): void {
  const ids = loadOrDrawAds(place, ADS, drawBelow);
  onAds(ids.flatMap((id) => ALL_ADS.find((ad) => ad.id === id) ?? []));
}

/**
 * The ads a city shows to this visitor, or null until the browser has drawn them. They are drawn in a layout effect,
 * before the first paint, so that scroll restoration finds the page at its previous height.
 */
export function useCityAds({ state, city }: Place): readonly Ad[] | null {
  const [ads, setAds] = useState<readonly Ad[] | null>(null);
  useLayoutEffect(() => {
    loadAds({ state, city }, setAds);
  }, [state, city]);
  return ads;
}
