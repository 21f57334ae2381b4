/**
 * The shell's fields in `history.state`. They survive a reload and disappear with the tab, so no web storage is needed.
 * The router keeps its own fields there, which the shell preserves.
 */
export interface HistoryState {
  /** Scroll position of the page. */
  readonly scrollTop?: unknown;
  /** The link that was followed from the page. */
  readonly opener?: unknown;
  /** Numbers of the deployments for which the document was reloaded automatically. */
  readonly reloadedDeployments?: unknown;
  /** The dialog to open after a reload. */
  readonly dialog?: unknown;
  /** The router's key of the entry. */
  readonly key?: unknown;
}

/** Reads the state of the current history entry. Tolerates values that other code put there. */
export function readHistoryState(): HistoryState {
  const state: unknown = history.state;
  return typeof state === "object" && state !== null ? state : {};
}

/**
 * The browser's `history.replaceState`. An app on the page may have replaced the methods of its history, to follow those who call
 * them: the app would learn that the visitor leaves it before the next page is loaded.
 */
export const replaceState: History["replaceState"] = (...args) => {
  History.prototype.replaceState.apply(history, args);
};

function replace(state: HistoryState): boolean {
  try {
    replaceState(state, "");
    return true;
  } catch {
    // Browsers limit how often an entry may be replaced.
    return false;
  }
}

/** Merges fields into the state of the current entry. False if the browser refuses. */
export function updateHistoryState(changes: HistoryState): boolean {
  return replace({ ...readHistoryState(), ...changes });
}

/** Removes a field from the state of the current entry. False if the browser refuses. */
export function removeFromHistoryState(name: keyof HistoryState): boolean {
  const { [name]: removed, ...others } = readHistoryState();
  return removed === undefined || replace(others);
}
