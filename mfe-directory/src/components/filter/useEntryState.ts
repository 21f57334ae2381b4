import { useLocation } from "@colonnade/kit";
import { useSyncExternalStore } from "react";

// Values by history entry; a page has one. In memory only; never stored.
const values = new Map<string, unknown>();
const listeners = new Set<() => void>();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
  };
}

/**
 * What a visitor chose to see of a page's list. Navigating back restores it, and thereby the list and the scroll position.
 * `initial` has the same identity in every render.
 */
export function useEntryState<T>(initial: T): readonly [value: T, setValue: (value: T) => void] {
  const { key } = useLocation();
  // The initial value on the server and during hydration.
  const value = useSyncExternalStore(
    subscribe,
    () => (values.has(key) ? (values.get(key) as T) : initial),
    () => initial,
  );
  const setValue = (next: T): void => {
    values.set(key, next);
    for (const listener of listeners) listener();
  };
  return [value, setValue];
}
