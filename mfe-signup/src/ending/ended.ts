import type { FormAnswer } from "@colonnade/kit";
import { useEffect, useSyncExternalStore } from "react";

// In memory alone: it lasts as long as the tab shows this document, and leaves no trace.
let ended = false;
let sent = false;
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

/** Remembers that a sign-up was sent, whatever comes of it: who ends sign-up later is told the truth about it. */
export function noteSent(): void {
  sent = true;
}

/** Whether a sign-up was sent, as far as this tab knows. */
export function wasSent(): boolean {
  return sent;
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
