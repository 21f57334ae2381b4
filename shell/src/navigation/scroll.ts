import { readEntry, remember } from "./entry";

/** Where each entry of the tab's history was scrolled to. */
export interface ScrollMemory {
  /** From now on the page's position belongs to this history entry. */
  follow(key: string): void;
  /** Scrolls to where the entry that is followed was left. Returns false where it was never seen. */
  restore(): boolean;
  /**
   * To be called when a page that came rendered is about to draw what only a browser draws: where the visitor has not
   * moved since, the entry is scrolled a frame later to where it was left, which the page may only then be long enough
   * for. Browsers would keep what was in sight there, which is not what the visitor had left.
   */
  settle(): void;
}

// Scrolling has come to rest; browsers limit how often an entry's state may be replaced.
const REST_MS = 150;

/** Takes scroll restoration over from the browser, which restores before the page is there. */
export function createScrollMemory(): ScrollMemory {
  const positions = new Map<string, number>();
  let current: string | undefined;
  let shown: unknown;
  let target: number | undefined;
  let reached: number | undefined;
  let rest: ReturnType<typeof setTimeout> | undefined;
  history.scrollRestoration = "manual";
  // The history entry carries its position through a reload, so that nothing is kept in web storage. What is
  // said only while the document is left comes too late for Chromium.
  const keep = (): void => {
    clearTimeout(rest);
    // While a page is on its way, the entry is the new page's already, and the position the old one's.
    if (readEntry().key === shown) remember({ scrollTop: scrollY });
  };
  addEventListener(
    "scroll",
    () => {
      if (current === undefined) return;
      positions.set(current, scrollY);
      clearTimeout(rest);
      rest = setTimeout(keep, REST_MS);
    },
    { passive: true },
  );
  addEventListener("pagehide", keep);
  const { scrollTop } = readEntry();
  // Who has scrolled before the shell was there stays where they are; a browser that went to a fragment has not.
  let moved = scrollY > 0 && location.hash === "";
  let left = typeof scrollTop === "number" && !moved ? scrollTop : undefined;
  return {
    follow(key) {
      // The position the document was left at belongs to the entry it starts with.
      if (left !== undefined) positions.set(key, left);
      left = undefined;
      current = key;
      shown = readEntry().key;
      // Read now: a page that is shorter than the one before it moves by itself, and that is no place it was left at.
      target = positions.get(key);
      reached = undefined;
      clearTimeout(rest);
      if (!moved) return;
      moved = false;
      positions.set(key, scrollY);
      rest = setTimeout(keep, REST_MS);
    },
    restore() {
      if (target === undefined) return false;
      scrollTo({ top: target, behavior: "instant" });
      reached = scrollY;
      return true;
    },
    settle() {
      const top = target;
      if (top === undefined || reached === undefined || scrollY !== reached) return;
      requestAnimationFrame(() => {
        scrollTo({ top, behavior: "instant" });
      });
    },
  };
}
