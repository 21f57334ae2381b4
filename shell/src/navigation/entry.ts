/**
 * What the shell remembers in an entry of the tab's history. It goes through a reload and disappears with the tab, so
 * that nothing of the kind is kept in web storage. The router keeps its own there, which stays as it is.
 */
export interface EntryMemory {
  /** How far the page was scrolled. */
  readonly scrollTop?: unknown;
  /** Numbers of the deployments for whose sake the page was loaded anew by itself. */
  readonly renewed?: unknown;
  /** Why the join dialog was asked for just before the page was loaded anew. */
  readonly join?: unknown;
  /** The router's name of the entry. */
  readonly key?: unknown;
}

/** What is remembered in the current entry. Whatever else was put there is survived. */
export function readEntry(): EntryMemory {
  const state: unknown = history.state;
  return typeof state === "object" && state !== null ? state : {};
}

function replace(memory: EntryMemory): boolean {
  try {
    history.replaceState(memory, "");
    return true;
  } catch {
    // Browsers limit how often an entry may be replaced.
    return false;
  }
}

/** Remembers something in the current entry, beside what is there. False where the browser would not have it. */
export function remember(changes: EntryMemory): boolean {
  return replace({ ...readEntry(), ...changes });
}

/** Forgets something that the current entry remembers. False where the browser would not have it. */
export function forget(name: keyof EntryMemory): boolean {
  const { [name]: forgotten, ...others } = readEntry();
  return forgotten === undefined || replace(others);
}
