import { useLocation } from "@colonnade/kit";
import { useLayoutEffect, useState } from "react";

// What was typed into the filter of a page, by the entry of the tab's history it was typed in. In memory alone: it is
// gone with the document, and nothing of it is stored.
const queries = new Map<string, string>();

/** What is typed into a page's filter. A way back finds it as it was left: the same list, and so the same place in it. */
export function useQuery(): readonly [query: string, setQuery: (query: string) => void] {
  const { key } = useLocation();
  const [query, setQuery] = useState("");
  // Before the first paint. On the server, and over what came from there, nothing is typed yet.
  useLayoutEffect(() => {
    setQuery(queries.get(key) ?? "");
  }, [key]);
  const change = (typed: string): void => {
    queries.set(key, typed);
    setQuery(typed);
  };
  return [query, change];
}
