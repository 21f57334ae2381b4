/** The keys: lists of ads, with the path of a city after the colon; forms that were sent; a sign-up that worked; and `closed`. */
export const TAB_KEYS = ["ads:", "sent", "signed-up", "signup"] as const;

/** The key of an entry. */
export type TabKey = Exclude<(typeof TAB_KEYS)[number], "ads:"> | `ads:${string}`;

/** The value of `signup` after an age under 18 was stated. It stays until the tab is closed. */
export const CLOSED = "closed";

// Accessing `sessionStorage` throws if the browser denies storage, and setting an entry if it is full.
function attempt<T>(access: (storage: Storage) => T): T | undefined {
  try {
    return access(sessionStorage);
  } catch {
    return undefined;
  }
}

/** Returns an entry. Null or undefined if there is none. */
export function readTab(key: TabKey): string | null | undefined {
  return attempt((storage) => storage.getItem(key));
}

/** Returns the JSON of an entry, which is untrusted. Null or undefined if there is none, or if it is invalid. */
export function readTabJson(key: TabKey): unknown {
  return attempt((storage) => JSON.parse(storage.getItem(key) ?? "null") as unknown);
}

/** The event of the window after an entry was stored. The browser has one for other documents alone. */
export const TAB_CHANGED = "tab";

/** Stores an entry, if the browser permits it. */
export function writeTab(key: TabKey, value: string): void {
  attempt((storage) => {
    storage.setItem(key, value);
    dispatchEvent(new Event(TAB_CHANGED));
  });
}

/** Removes an entry. */
export function removeFromTab(key: string): void {
  attempt((storage) => {
    storage.removeItem(key);
  });
}
