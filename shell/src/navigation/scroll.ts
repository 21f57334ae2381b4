/** Where each entry of the tab's history was scrolled to. */
export interface ScrollMemory {
  /** From now on the page's position belongs to this history entry. */
  follow(key: string): void;
  /** Scrolls to where the entry was left. Returns false where it was never seen. */
  restore(key: string): boolean;
}

function stateOfEntry(): Readonly<Record<string, unknown>> {
  const state: unknown = history.state;
  return typeof state === "object" && state !== null ? (state as Record<string, unknown>) : {};
}

/** Takes scroll restoration over from the browser, which restores before the page is there. */
export function createScrollMemory(): ScrollMemory {
  const positions = new Map<string, number>();
  let current: string | undefined;
  history.scrollRestoration = "manual";
  addEventListener(
    "scroll",
    () => {
      if (current !== undefined) positions.set(current, scrollY);
    },
    { passive: true },
  );
  // The history entry carries its position through a reload, so that nothing is kept in web storage.
  addEventListener("pagehide", () => {
    history.replaceState({ ...stateOfEntry(), scrollTop: scrollY }, "");
  });
  const { scrollTop } = stateOfEntry();
  let left = typeof scrollTop === "number" ? scrollTop : undefined;
  return {
    follow(key) {
      // The position the document was left at belongs to the entry it starts with.
      if (left !== undefined) positions.set(key, left);
      left = undefined;
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
