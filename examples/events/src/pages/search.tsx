import { definePage } from "@colonnade/kit";

import { listPath } from "../paths";
import { page as list } from "./list";

/** The events of a city that contain words. */
export const page = definePage({ ...list, paths: () => [listPath({ city: "portland", search: "games" })] });
