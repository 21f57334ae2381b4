import { definePage } from "@colonnade/kit";

import { listing } from "../examples";
import { listPath } from "../paths";
import { page as list } from "./list";

/** A further page of a city's events. */
const path = listPath({ city: "portland", page: 2 });
export const page = definePage({
  ...list,
  paths: () => [path],
  examples: () => [{ path, results: { listing } }],
});
