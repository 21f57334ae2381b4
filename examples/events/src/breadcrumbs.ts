import type { Breadcrumb } from "@colonnade/kit";

import { CITIES_PATH } from "./paths";

/** The name of this part of the site. */
export const SECTION_NAME = "What’s on";

/** The trail to a page of this section. */
export function trailTo(...steps: readonly Breadcrumb[]): readonly Breadcrumb[] {
  return [{ label: "Home", path: "/" }, { label: SECTION_NAME, path: CITIES_PATH }, ...steps];
}
