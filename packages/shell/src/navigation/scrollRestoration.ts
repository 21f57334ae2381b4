import { readHistoryState, updateHistoryState } from "./historyState.js";

/** Saves and restores the scroll position of each history entry. */
export interface ScrollRestoration {
  /** Assigns the page's scroll position to a history entry from now on. */
  setEntry(key: string): void;
  /** Scrolls to the saved position of the current entry. False if there is none. */
  restore(): boolean;
  /**
   * Call when a server-rendered page hydrates. Restores the position again one frame later, when the page has its full
   * height, unless the visitor has scrolled or navigated. The browser's scroll anchoring would keep another position.
   */
  restoreAfterHydration(): void;
}

// Browsers limit how often `history.replaceState` may be called.
const SAVE_DELAY_MS = 150;

/** Replaces the browser's own scroll restoration, which runs before the page is rendered. */
export function createScrollRestoration(): ScrollRestoration {
  const positions = new Map<string, number>();
  let current: string | undefined;
  let currentKey: unknown;
  let target: number | undefined;
  let restored: number | undefined;
  let hydrationFrame = 0;
  let saveTimer: ReturnType<typeof setTimeout> | undefined;
  history.scrollRestoration = "manual";
  // Saved in the history entry, which survives a reload. Saving only on `pagehide` is too late in Chromium.
  const save = (): void => {
    clearTimeout(saveTimer);
    // While a navigation is pending, the entry is already the new page's but the position is still the old page's.
    if (readHistoryState().key === currentKey) updateHistoryState({ scrollTop: scrollY });
  };
  addEventListener(
    "scroll",
    () => {
      if (current === undefined) return;
      positions.set(current, scrollY);
      clearTimeout(saveTimer);
      saveTimer = setTimeout(save, SAVE_DELAY_MS);
    },
    { passive: true },
  );
  addEventListener("pagehide", save);
  // A visitor who scrolled before the shell started keeps that position. Scrolling to a fragment does not count. Before the
  // first paint nobody has scrolled, and the position would make the browser lay the page out before it hydrates.
  let scrolledEarly = performance.getEntriesByType("paint").length > 0 && scrollY > 0 && location.hash === "";
  return {
    setEntry(key) {
      const { key: entryKey, scrollTop } = readHistoryState();
      const saved = typeof scrollTop === "number" && !scrolledEarly ? scrollTop : undefined;
      current = key;
      currentKey = entryKey;
      // Read now: a shorter page scrolls by itself, which must not overwrite the saved position. After a reload, only the
      // history entries have the positions.
      target = positions.get(key) ?? saved;
      restored = undefined;
      cancelAnimationFrame(hydrationFrame);
      clearTimeout(saveTimer);
      if (!scrolledEarly) return;
      scrolledEarly = false;
      positions.set(key, scrollY);
      saveTimer = setTimeout(save, SAVE_DELAY_MS);
    },
    restore() {
      if (target === undefined) return false;
      scrollTo({ top: target, behavior: "instant" });
      restored = scrollY;
      return true;
    },
    restoreAfterHydration() {
      const top = target;
      if (top === undefined || restored === undefined || scrollY !== restored) return;
      hydrationFrame = requestAnimationFrame(() => {
        scrollTo({ top, behavior: "instant" });
      });
    },
  };
}
