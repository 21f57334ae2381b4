import content from "../../content/ads.json";
import type { Ad, AdSet } from "./ad";

// The build checks them: see the examples of a city's page.
function adsOf(list: readonly object[], featured: boolean): readonly Ad[] {
  return list.map((ad) => ({ ...ad, featured }) as Ad);
}

/** The ads of the directory, which are the same in every city. */
export const ADS: AdSet = { featured: adsOf(content.featured, true), regular: adsOf(content.regular, false) };

/** Every ad, featured ones first. */
export const ALL_ADS: readonly Ad[] = [...ADS.featured, ...ADS.regular];

/**
 * Finds a regular ad by the last path segment, a decimal integer. A missing id is 0. Featured ads have no page.
 */
export function findRegularAd(id = "0", ads: AdSet = ADS): Ad | undefined {
  return /^[0-9]+$/.test(id) ? ads.regular.find((ad) => ad.id === Number(id)) : undefined;
}
