import { useLocation } from "@colonnade/kit";
import { useSyncExternalStore } from "react";

// Filter queries by history entry. In memory only; never stored.
const queries = new Map<string, string>();
const listeners = new Set<() => void>();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
  };
}

/** The query of a page's filter. Navigating back restores it, and thereby the list and the scroll position. */
export function useQuery(): readonly [query: string, setQuery: (query: string) => void] {
  const { key } = useLocation();
  // Empty on the server and during hydration.
  const query = useSyncExternalStore(
    subscribe,
    () => queries.get(key) ?? "",
    () => "",
  );
  const setQuery = (value: string): void => {
    queries.set(key, value);
    for (const listener of listeners) listener();
  };
  return [query, setQuery];
}
