import { definePage } from "@colonnade/kit";

import { page as list } from "./list";

/** A further page of the results of a search. No paths are listed: the build does not know what it finds. */
export const page = definePage({ ...list, paths: () => [] });
