import type { Breadcrumb } from "@colonnade/kit";

import type { Ad } from "../data/ad";
import { adPath, cityPath, statePath } from "../data/links";
import type { Place } from "../data/links";

const HOME: Breadcrumb = { label: "Home", path: "/" };

/** Breadcrumbs of a state's page. */
export function stateBreadcrumbs(state: string): readonly Breadcrumb[] {
  return [HOME, { label: state, path: statePath(state) }];
}

/** Breadcrumbs of a city's page. */
export function cityBreadcrumbs(place: Place): readonly Breadcrumb[] {
  return [...stateBreadcrumbs(place.state), { label: place.city, path: cityPath(place) }];
}

/** Breadcrumbs of an ad's page. */
export function adBreadcrumbs(place: Place, ad: Ad): readonly Breadcrumb[] {
  return [...cityBreadcrumbs(place), { label: ad.title, path: adPath(place, ad.id) }];
}
