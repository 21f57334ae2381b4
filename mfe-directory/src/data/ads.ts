import content from "../../content/ads.json";
import type { Ad, AdSet } from "./ad";
import { checkAds } from "./checkAds";

/** The ads of the directory, which are the same in every city. */
export const ADS: AdSet = checkAds(content);

/** Every ad, featured ones first. */
export const ALL_ADS: readonly Ad[] = [...ADS.featured, ...ADS.regular];

/**
 * Finds a regular ad by the last path segment, a decimal integer. A missing id is 0. Featured ads have no page.
 */
export function findRegularAd(id = "0", ads: AdSet = ADS): Ad | undefined {
  return /^[0-9]+$/.test(id) ? ads.regular.find((ad) => ad.id === Number(id)) : undefined;
}
