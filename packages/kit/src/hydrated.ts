import { useSyncExternalStore } from "react";

const neverChanges = (): (() => void) => () => undefined;

/**
 * Returns whether the page is hydrated: false on the server and during hydration, true afterward. Use it for controls that
 * need JavaScript.
 *
 * @example
 * ```tsx
 * import { useHydrated } from "@colonnade/kit";
 *
 * export const Filter = () => <input type="search" aria-label="Filter" disabled={!useHydrated()} />;
 * ```
 */
export function useHydrated(): boolean {
  return useSyncExternalStore(
    neverChanges,
    () => true,
    () => false,
  );
}
