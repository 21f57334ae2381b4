import type { AdSet } from "../data/ad";
import type { DrawBelow } from "./random";

/** Minimum and maximum length of a city's list, including featured ads. */
export const MIN_ADS = 30;
export const MAX_ADS = 45;

/**
 * Draws a city's list: a uniformly random number of ads from 30 to 45, featured ads first, then regular ads without
 * repeats. Returns the ids.
 */
export function drawAds(ads: AdSet, below: DrawBelow): number[] {
  const total = MIN_ADS + below(MAX_ADS - MIN_ADS + 1);
  const featured = ads.featured.map((ad) => ad.id);
  const remaining = ads.regular.map((ad) => ad.id);
  const drawn: number[] = [];
  while (featured.length + drawn.length < total && remaining.length > 0) {
    drawn.push(...remaining.splice(below(remaining.length), 1));
  }
  return [...featured, ...drawn];
}

/** Checks whether an untrusted value could have been drawn from these ads. */
export function isDrawnList(value: unknown, ads: AdSet): value is number[] {
  if (!Array.isArray(value)) return false;
  const ids = value as readonly unknown[];
  const regular = new Set<unknown>(ads.regular.map((ad) => ad.id));
  const rest = ids.slice(ads.featured.length);
  return (
    ids.length >= MIN_ADS &&
    ids.length <= MAX_ADS &&
    new Set(ids).size === ids.length &&
    ads.featured.every((ad, index) => ids[index] === ad.id) &&
    rest.every((id) => regular.has(id))
  );
}
