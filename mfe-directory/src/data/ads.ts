import content from "../../content/ads.json";
import type { Ad, AdSet } from "./ad";
import { checkAds } from "./checkAds";

/** The ads of the directory; the same in every city. */
export const ADS: AdSet = checkAds(content);

/** Every ad, featured ones first. */
export const ALL_ADS: readonly Ad[] = [...ADS.featured, ...ADS.regular];

/**
 * The regular ad a path's last segment names: decimal digits, read as a whole number. Featured ads have no
 * page, and a missing id counts as 0.
 */
export function findRegularAd(id = "0", ads: AdSet = ADS): Ad | undefined {
  return /^[0-9]+$/.test(id) ? ads.regular.find((ad) => ad.id === Number(id)) : undefined;
}
