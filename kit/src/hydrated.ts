import { useSyncExternalStore } from "react";

const neverChanges = (): (() => void) => () => undefined;

/**
 * Returns whether the page is hydrated: false on the server and during hydration, true afterward. Use it for controls that
 * need JavaScript.
 */
export function useHydrated(): boolean {
  return useSyncExternalStore(
    neverChanges,
    () => true,
    () => false,
  );
}
