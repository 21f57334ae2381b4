import { usePage } from "@colonnade/kit";

import type { Search } from "../page.js";

/**
 * Returns the values of the current page's query parameters, by name.
 *
 * @throws Error on a page without `search`, and outside of a page.
 *
 * @example
 * ```tsx
 * import { defineSearch, useSearch } from "@colonnade/kit/search";
 * import * as v from "valibot";
 *
 * const search = defineSearch({ page: v.optional(v.number(), 1) });
 *
 * export function Next() {
 *   const { page } = useSearch(search);
 *   return <search.Link to="/events" search={{ page: page + 1 }}>Next page</search.Link>;
 * }
 * ```
 */
export function useSearch<Values extends object>(search: Search<Values>): Values {
  const { search: values } = usePage();
  if (values) return values as Values;
  throw new Error(`useSearch() was called on a page without the parameters ${search.names.join(", ")}`);
}
