import { defineSlot } from "@colonnade/kit";

import { PlaceSearch } from "../components/search/PlaceSearch";

/** The place search, for the not-found page. */
export const slot = defineSlot({ Component: PlaceSearch });
