/**
 * Query parameters of pages. A section bundles what it uses of this.
 *
 * @module search
 */
export {
  defineSearch,
  type DefinedSearch,
  type SearchLinkProps,
  type SearchOf,
  type SearchSchemas,
  type SearchValues,
} from "./define.js";
export { useSearch } from "./useSearch.js";
