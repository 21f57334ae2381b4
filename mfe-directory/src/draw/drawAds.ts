import type { AdSet } from "../data/ad";
import type { DrawBelow } from "./random";

/** Fewest and most ads a city's list has, featured ones included. */
export const LEAST = 30;
export const MOST = 45;

/**
 * Draws a city's list: how many ads, evenly from 30 to 45, then which ones. Featured ads come first; the others
 * are drawn from the regular ones without repeats. Returns their ids.
 */
export function drawAds(ads: AdSet, below: DrawBelow): number[] {
  const total = LEAST + below(MOST - LEAST + 1);
  const featured = ads.featured.map((ad) => ad.id);
  const left = ads.regular.map((ad) => ad.id);
  const drawn: number[] = [];
  while (featured.length + drawn.length < total && left.length > 0) {
    drawn.push(...left.splice(below(left.length), 1));
  }
  return [...featured, ...drawn];
}

/** Whether a value from outside is a list that could have been drawn from these ads. */
export function isDrawnList(value: unknown, ads: AdSet): value is number[] {
  if (!Array.isArray(value)) return false;
  const ids = value as readonly unknown[];
  const regular = new Set<unknown>(ads.regular.map((ad) => ad.id));
  const rest = ids.slice(ads.featured.length);
  return (
    ids.length >= LEAST &&
    ids.length <= MOST &&
    new Set(ids).size === ids.length &&
    ads.featured.every((ad, index) => ids[index] === ad.id) &&
    rest.every((id) => regular.has(id))
  );
}
