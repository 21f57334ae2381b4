import type { FormAnswer } from "@colonnade/kit";
import { useEffect, useSyncExternalStore } from "react";

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

/**
 * Whether sign-up has ended in this tab: by an age under 18 that was submitted here, or that the answer to a form
 * post says was refused.
 */
export function useSignupEnded(answer?: FormAnswer): boolean {
  const refused = answer?.underAge ?? false;
  useEffect(() => {
    if (refused) endSignup();
  }, [refused]);
  const here = useSyncExternalStore(
    subscribe,
    () => ended,
    () => false,
  );
  return here || refused;
}
