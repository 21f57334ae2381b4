import { definePage } from "@colonnade/kit";

import { listPath } from "../paths";
import { page as list } from "./list";

/** A further page of a city's events. */
export const page = definePage({ ...list, paths: () => [listPath({ city: "portland", page: 2 })] });
