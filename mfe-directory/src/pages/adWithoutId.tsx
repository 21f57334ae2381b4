import { definePage } from "@colonnade/kit";

import { page as adPage } from "./ad";

/** An ad path without an id. The id defaults to 0, which no ad has. */
export const page = definePage({ ...adPage, paths: () => [] });
