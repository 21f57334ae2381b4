import { useSyncExternalStore } from "react";

const never = () => () => undefined;

/** False in server HTML and while it is hydrated, true from then on: for what works only with JavaScript. */
export function useHydrated(): boolean {
  return useSyncExternalStore(
    never,
    () => true,
    () => false,
  );
}
