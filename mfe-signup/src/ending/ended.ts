import { useSyncExternalStore } from "react";

// In memory alone: it lasts as long as the tab shows this document, and leaves no trace.
let ended = false;
const listeners = new Set<() => void>();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
  };
}

/** Ends sign-up in this tab, in every form of it: the visitor has stated an age under 18. */
export function endSignup(): void {
  ended = true;
  for (const listener of listeners) listener();
}

/** Whether sign-up has ended in this tab. */
export function useSignupEnded(): boolean {
  return useSyncExternalStore(
    subscribe,
    () => ended,
    () => false,
  );
}
