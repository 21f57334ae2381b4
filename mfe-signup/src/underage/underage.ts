import { CLOSED, readTab, recordSentForm, sentForms, writeTab, type SentResult } from "@colonnade/design/tab";
import type { FormResult } from "@colonnade/kit";
import { useEffect, useSyncExternalStore } from "react";

import { FIELD_NAMES } from "../form/validation";

// Held for the tab, across reloads. The flag says only 'closed': an age would be personal data. Session storage may be
// denied, so the history entry holds the flag, too.
const KEY = "signup";

/** The code of a form post that the gateway rejected because the stated age is under 18. */
export const UNDER_AGE = "under_age";

let closed = false;
let closedHere = false;
let submitted = false;
const listeners = new Set<() => void>();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
  };
}

function historyFields(): Readonly<Record<string, unknown>> {
  const state: unknown = history.state;
  return typeof state === "object" && state !== null ? { ...state } : {};
}

function storeFlag(): void {
  writeTab(KEY, CLOSED);
  try {
    history.replaceState({ ...historyFields(), [KEY]: CLOSED }, "");
  } catch {
    // Browsers limit how often an entry may be replaced.
  }
}

function isClosed(): boolean {
  closed ||= readTab(KEY) === CLOSED || historyFields()[KEY] === CLOSED;
  return closed;
}

/** Closes all sign-up forms in this tab after the visitor stated an age under 18. */
export function closeSignup(): void {
  closed = true;
  closedHere = true;
  storeFlag();
  for (const listener of listeners) listener();
}

/** Whether sign-up was closed since the document was loaded. */
export function wasClosedHere(): boolean {
  return closedHere;
}

/**
 * Records that a sign-up is sent to this host, for the underage notice and for the receipt. Returns a function that records the
 * result.
 */
export function recordSubmission(host: string | null): (result: SentResult | "unsent") => void {
  const before = submitted;
  const record = host === null ? undefined : recordSentForm(host, FIELD_NAMES);
  submitted = true;
  return (result) => {
    if (result === "stopped" || result === "unsent") submitted = before;
    record?.(result);
  };
}

/** Whether a sign-up of this tab may have reached its host, also before a reload if the browser permits storage. */
export function hasSubmitted(): boolean {
  return submitted || sentForms().some(({ result }) => result !== "stopped");
}

/**
 * Whether sign-up is closed in this tab: an age under 18 was submitted here, or in a form post that the gateway
 * rejected.
 */
export function useSignupClosed(formResult?: FormResult): boolean {
  const rejected = formResult?.code === UNDER_AGE;
  useEffect(() => {
    if (rejected) closeSignup();
  }, [rejected]);
  const closedInTab = useSyncExternalStore(subscribe, isClosed, () => false);
  return closedInTab || rejected;
}
