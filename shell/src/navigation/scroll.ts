const STORE_KEY = "colonnade.scroll";

/** Where each entry of the tab's history was scrolled to. */
export interface ScrollMemory {
  /** From now on the page's position belongs to this history entry. */
  follow(key: string): void;
  /** Scrolls to where the entry was left. Returns false where it was never seen. */
  restore(key: string): boolean;
}

function read(): Map<string, number> {
  try {
    const stored: unknown = JSON.parse(sessionStorage.getItem(STORE_KEY) ?? "[]");
    return new Map(
      Array.isArray(stored) ? (stored as [string, number][]).filter(([, top]) => Number.isFinite(top)) : [],
    );
  } catch {
    // Storage that is denied or holds rubbish costs the position, nothing else.
    return new Map();
  }
}

/** Takes scroll restoration over from the browser, which restores before the page is there. */
export function createScrollMemory(): ScrollMemory {
  const positions = read();
  let current: string | undefined;
  history.scrollRestoration = "manual";
  addEventListener(
    "scroll",
    () => {
      if (current !== undefined) positions.set(current, scrollY);
    },
    { passive: true },
  );
  addEventListener("pagehide", () => {
    try {
      sessionStorage.setItem(STORE_KEY, JSON.stringify([...positions].slice(-50)));
    } catch {
      // As above.
    }
  });
  return {
    follow(key) {
      current = key;
    },
    restore(key) {
      const top = positions.get(key);
      if (top === undefined) return false;
      scrollTo({ top, behavior: "instant" });
      return true;
    },
  };
}
