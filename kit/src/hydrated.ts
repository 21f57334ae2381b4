import { useSyncExternalStore } from "react";

const never = (): (() => void) => () => undefined;

/**
 * Whether script has taken over: false on the server and while its HTML is taken over, true from then on.
 * For what works with JavaScript only.
 */
export function useHydrated(): boolean {
  return useSyncExternalStore(
    never,
    () => true,
    () => false,
  );
}
