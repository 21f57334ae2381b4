import { definePage } from "@colonnade/kit";

import { page as list } from "./list";

/** A further page of the results of a search. It lists no paths, because the build does not know the results. */
export const page = definePage({ ...list, paths: () => [] });
