import { known } from "../loading/known";
import type { View } from "../loading/view";
import { readEntry } from "./entry";
import { markSubject } from "./subject";

/** Has the browser move from one page to the next by a view transition, where it knows them and nobody minds. */
export interface PageTransitions {
  /** Whether the page at a path is on the screen. */
  shows(path: string): boolean;
  /**
   * The view of a page that React is about to draw, as soon as it is there and the browser has kept a picture of the
   * page before. The same promise until the page has arrived and as long as it is shown, as React's `use` needs it.
   */
  prepare(entry: string, path: string, viewing: Promise<View>): Promise<View>;
  /** To be called when the page at a path is drawn, and what has to be at its place. */
  arrived(path: string): void;
  /** Whether the browser waits for the page to be drawn. Until then it draws no frame. */
  readonly waits: boolean;
}

// A busy browser may take its time over the picture, and React over the page. The page does not wait for either.
const PICTURE_MS = 100;
const DRAWING_MS = 500;

function movesAreWelcome(): boolean {
  return (
    "startViewTransition" in document &&
    document.visibilityState === "visible" &&
    !matchMedia("(prefers-reduced-motion: reduce)").matches
  );
}

/** A view transition whose page is being drawn. */
interface Passage {
  readonly end: () => void;
}

/** What was prepared for a view. */
interface Prepared {
  readonly entry: string;
  /** How many pages had arrived by then: an entry of the tab's history can be returned to. */
  readonly after: number;
  readonly promise: Promise<View>;
}

/** Starts a view transition. Resolves when the browser has its picture, or does not get one in time. */
function start(here: string, there: string, began: (passage: Passage) => void): Promise<void> {
  return new Promise((resolve) => {
    let unmark = markSubject(here, there);
    const late = setTimeout(() => {
      transition.skipTransition();
      resolve();
    }, PICTURE_MS);
    const transition = document.startViewTransition(
      () =>
        new Promise<void>((drawn) => {
          clearTimeout(late);
          unmark();
          const given = setTimeout(() => {
            transition.skipTransition();
            drawn();
          }, DRAWING_MS);
          began({
            end: () => {
              clearTimeout(given);
              unmark = markSubject(there, here);
              drawn();
            },
          });
          resolve();
        }),
    );
    // Whatever becomes of the movement, the page is shown.
    transition.ready.catch(() => undefined);
    transition.updateCallbackDone.catch(() => undefined);
    void transition.finished
      .catch(() => undefined)
      .then(() => {
        unmark();
      });
  });
}

/** Makes the transitions of a document whose first page is at `firstPath`. */
export function createPageTransitions(firstPath: string): PageTransitions {
  const prepared = new WeakMap<Promise<View>, Prepared>();
  let shown = firstPath;
  let arrivals = 0;
  let latest: string | undefined;
  let passage: Passage | undefined;
  // The browser has shown the way back by itself, under the visitor's finger.
  let swiped: unknown;
  addEventListener("popstate", ({ hasUAVisualTransition }) => {
    swiped = hasUAVisualTransition ? readEntry().key : undefined;
  });

  async function pass(entry: string, path: string, viewing: Promise<View>): Promise<View> {
    const view = await viewing;
    if (latest !== entry || swiped === entry || !movesAreWelcome()) return view;
    await start(shown, path, (begun) => {
      passage = begun;
    });
    return view;
  }

  return {
    shows(path) {
      return path === shown;
    },
    prepare(entry, path, viewing) {
      const before = prepared.get(viewing);
      const isSame = before?.entry === entry && before.after === arrivals;
      if (before && (isSame || path === shown)) return before.promise;
      if (path === shown) return viewing;
      latest = entry;
      const promise = known(pass(entry, path, viewing));
      prepared.set(viewing, { entry, after: arrivals, promise });
      return promise;
    },
    arrived(path) {
      if (path !== shown) arrivals += 1;
      shown = path;
      passage?.end();
      passage = undefined;
    },
    get waits() {
      return passage !== undefined;
    },
  };
}
