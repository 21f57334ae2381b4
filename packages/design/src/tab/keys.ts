// A module of its own, because the home page needs no other.

/** Returns the keys of all entries, also of those that the site does not know. Empty if the browser denies storage. */
export function tabKeys(): string[] {
  try {
    return Object.keys(sessionStorage);
  } catch {
    return [];
  }
}
