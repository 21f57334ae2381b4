import type { Breadcrumb } from "@colonnade/kit";

import type { Ad } from "../data/ad";
import { adPath, cityPath, statePath } from "../data/links";
import type { Place } from "../data/places";

const HOME: Breadcrumb = { label: "Home", path: "/" };

/** The way to a state's page. */
export function stateCrumbs(state: string): readonly Breadcrumb[] {
  return [HOME, { label: state, path: statePath(state) }];
}

/** The way to a city's page. */
export function cityCrumbs(place: Place): readonly Breadcrumb[] {
  return [...stateCrumbs(place.state), { label: place.city, path: cityPath(place) }];
}

/** The way to an ad's page. */
export function adCrumbs(place: Place, ad: Ad): readonly Breadcrumb[] {
  return [...cityCrumbs(place), { label: ad.title, path: adPath(place, ad.id) }];
}
