import { readTab, removeFromTab, writeTab } from "@colonnade/design/tab";
import { useEffect, useState, useSyncExternalStore } from "react";

// In session storage, because the shell may have to load a new document to get to the success page. The entry says nothing
// else, and exists only until that page has read it.
const KEY = "signed-up";

/** Records that an account was created, for the success page. */
export function recordSuccess(): void {
  writeTab(KEY, "1");
}

// Remembers the answer, because the record is removed while the page still shows.
function createSnapshot(): () => boolean {
  let answer: boolean | undefined;
  return () => (answer ??= Boolean(readTab(KEY)));
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
    removeFromTab(KEY);
  }, [snapshot]);
  return useSyncExternalStore(subscribe, snapshot, () => false);
}
