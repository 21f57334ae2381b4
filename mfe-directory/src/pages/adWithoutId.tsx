import { definePage } from "@colonnade/kit";

import { page as adPage } from "./ad";

/** An ad's path that ends before the id, which then counts as 0: there is no such ad. */
export const page = definePage({ ...adPage, paths: () => [] });
