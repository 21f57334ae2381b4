import { useLocation } from "@colonnade/kit";
import { useSyncExternalStore } from "react";

// What was typed into the filter of a page, by the entry of the tab's history it was typed in. In memory alone: it is
// gone with the document, and nothing of it is stored.
const queries = new Map<string, string>();
const listeners = new Set<() => void>();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
  };
}

/** What is typed into a page's filter. A way back finds it as it was left: the same list, and so the same place in it. */
export function useQuery(): readonly [query: string, setQuery: (query: string) => void] {
  const { key } = useLocation();
  // On the server, and over what came from there, nothing is typed yet.
  const query = useSyncExternalStore(
    subscribe,
    () => queries.get(key) ?? "",
    () => "",
  );
  const change = (typed: string): void => {
    queries.set(key, typed);
    for (const listener of listeners) listener();
  };
  return [query, change];
}
