import { useEffect, useState, useSyncExternalStore } from "react";

// In session storage, because the shell may have to load a new document to get to the success page. The entry says nothing
// else, and exists only until that page has read it.
const KEY = "signed-up";

/** Records that an account was created, for the success page. */
export function recordSuccess(): void {
  try {
    sessionStorage.setItem(KEY, "1");
  } catch {
    // Storage is full or denied: the success page shows its neutral text.
  }
}

function hasRecord(): boolean {
  try {
    return sessionStorage.getItem(KEY) !== null;
  } catch {
    return false;
  }
}

function removeRecord(): void {
  try {
    sessionStorage.removeItem(KEY);
  } catch {
    // Then there is no record.
  }
}

// Remembers the answer, because the record is removed while the page still shows.
function createSnapshot(): () => boolean {
  let answer: boolean | undefined;
  return () => (answer ??= hasRecord());
}

function subscribe(): () => void {
  return () => undefined;
}

/** Whether the visitor comes straight from a sign-up in this tab. False after a reload, and until hydration. */
export function useJustSignedUp(): boolean {
  const [snapshot] = useState(createSnapshot);
  // Not while rendering, because React may discard a render.
  useEffect(() => {
    snapshot();
    removeRecord();
  }, [snapshot]);
  return useSyncExternalStore(subscribe, snapshot, () => false);
}
