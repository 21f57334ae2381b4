import type { FormResult } from "@colonnade/kit";
import { useEffect, useSyncExternalStore } from "react";

// In memory only, until the tab loads a new document: a stored flag would be a record of the age.
let blocked = false;
let submitted = false;
const listeners = new Set<() => void>();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
  };
}

/** Blocks all sign-up forms in this tab after the visitor stated an age under 18. */
export function blockSignup(): void {
  blocked = true;
  for (const listener of listeners) listener();
}

/** Records that a sign-up was sent, for the underage notice. */
export function recordSubmission(): void {
  submitted = true;
}

/** Whether a sign-up was sent in this tab. */
export function hasSubmitted(): boolean {
  return submitted;
}

/**
 * Whether sign-up is blocked in this tab: an age under 18 was submitted here, or in a form post that the gateway
 * rejected.
 */
export function useSignupBlocked(formResult?: FormResult): boolean {
  const rejected = formResult?.underAge ?? false;
  useEffect(() => {
    if (rejected) blockSignup();
  }, [rejected]);
  const blockedHere = useSyncExternalStore(
    subscribe,
    () => blocked,
    () => false,
  );
  return blockedHere || rejected;
}
