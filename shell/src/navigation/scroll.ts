import { readEntry, remember } from "./entry";

/** Where each entry of the tab's history was scrolled to. */
export interface ScrollMemory {
  /** From now on the page's position belongs to this history entry. */
  follow(key: string): void;
  /** Scrolls to where the entry that is followed was left. Returns false where it was never seen. */
  restore(): boolean;
}

// Scrolling has come to rest; browsers limit how often an entry's state may be replaced.
const REST_MS = 150;

/** Takes scroll restoration over from the browser, which restores before the page is there. */
export function createScrollMemory(): ScrollMemory {
  const positions = new Map<string, number>();
  let current: string | undefined;
  let shown: unknown;
  let target: number | undefined;
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
  let left = typeof scrollTop === "number" ? scrollTop : undefined;
  return {
    follow(key) {
      // The position the document was left at belongs to the entry it starts with.
      if (left !== undefined) positions.set(key, left);
      left = undefined;
      current = key;
      shown = readEntry().key;
      // Read now: a page that is shorter than the one before it moves by itself, and that is no place it was left at.
      target = positions.get(key);
      clearTimeout(rest);
    },
    restore() {
      if (target === undefined) return false;
      scrollTo({ top: target, behavior: "instant" });
      return true;
    },
  };
}
