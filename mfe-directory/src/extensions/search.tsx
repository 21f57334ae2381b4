import { defineExtension } from "@colonnade/kit/extensions";

import { PlaceSearch } from "../components/search/PlaceSearch";

/** The place search, for the shell's not-found page. */
export const extension = defineExtension({ data: () => ({}), Component: () => <PlaceSearch /> });
