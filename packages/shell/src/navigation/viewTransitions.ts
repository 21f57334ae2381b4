import { trackPromise } from "../loading/trackPromise.js";
import type { View } from "../loading/view.js";
import { readHistoryState } from "./historyState.js";
import { markSharedElement } from "./sharedElement.js";

/** Runs page changes as view transitions, where the browser supports them and the visitor accepts motion. */
export interface ViewTransitions {
  /** Whether the page at a path is the current one. */
  isCurrent(path: string): boolean;
  /**
   * Resolves to the view that React renders next, once it is loaded and the browser has captured the old page. Returns
   * the same promise until the next page is complete, as React's `use` requires.
   */
  prepare(entry: string, path: string, loading: Promise<View>): Promise<View>;
  /** Call when the page at a path is rendered and its scroll position is set. */
  complete(path: string): void;
  /** Whether a view transition waits for the new page. The browser draws no frame meanwhile. */
  readonly isPending: boolean;
}

// The page never waits longer than this for the browser's capture, nor the browser for the page.
const CAPTURE_TIMEOUT_MS = 100;
const RENDER_TIMEOUT_MS = 500;

function isAllowed(): boolean {
  return (
    // Not in `document`, of which an element with this name becomes a property.
    "startViewTransition" in Document.prototype &&
    document.visibilityState === "visible" &&
    !matchMedia("(prefers-reduced-motion: reduce)").matches
  );
}

/** A view transition whose new page is being rendered. */
interface PendingTransition {
  readonly end: () => void;
}

/** The promise prepared for a view. */
interface PreparedView {
  readonly entry: string;
  /** The number of completed navigations at that time: a history entry can be visited more than once. */
  readonly completedBefore: number;
  readonly promise: Promise<View>;
}

/** Starts a view transition. Resolves when the browser has captured the old page, or after a timeout. */
function start(from: string, to: string, onCaptured: (pending: PendingTransition) => void): Promise<void> {
  return new Promise((resolve) => {
    let unmark = markSharedElement(from, to);
    let isFinished = false;
    const captureTimer = setTimeout(() => {
      transition.skipTransition();
      resolve();
    }, CAPTURE_TIMEOUT_MS);
    const transition = document.startViewTransition(
      () =>
        new Promise<void>((rendered) => {
          clearTimeout(captureTimer);
          unmark();
          const renderTimer = setTimeout(() => {
            transition.skipTransition();
            rendered();
          }, RENDER_TIMEOUT_MS);
          onCaptured({
            end: () => {
              clearTimeout(renderTimer);
              if (isFinished) return;
              unmark = markSharedElement(to, from);
              rendered();
            },
          });
          resolve();
        }),
    );
    // A failed transition does not affect the page.
    transition.ready.catch(() => undefined);
    transition.updateCallbackDone.catch(() => undefined);
    void transition.finished
      .catch(() => undefined)
      .then(() => {
        isFinished = true;
        unmark();
      });
  });
}

/** Creates the view transitions of a document whose first page is at `firstPath`. */
export function createViewTransitions(firstPath: string): ViewTransitions {
  const preparedViews = new WeakMap<Promise<View>, PreparedView>();
  let currentPath = firstPath;
  let completed = 0;
  let pending: PendingTransition | undefined;
  // The entry to which the browser has already animated by itself, such as with a swipe gesture.
  let animatedByBrowser: unknown;
  addEventListener("popstate", ({ hasUAVisualTransition }) => {
    animatedByBrowser = hasUAVisualTransition ? readHistoryState().key : undefined;
  });

  async function transitionTo(entry: string, path: string, loading: Promise<View>): Promise<View> {
    const view = await loading;
    // The visitor may have left meanwhile. React Router writes no key to the first entry.
    const { key = "default" } = readHistoryState();
    if (key !== entry || animatedByBrowser === entry || !isAllowed()) return view;
    await start(currentPath, path, (captured) => {
      pending = captured;
    });
    return view;
  }

  return {
    isCurrent(path) {
      return path === currentPath;
    },
    prepare(entry, path, loading) {
      const prepared = preparedViews.get(loading);
      const isSameNavigation = prepared?.entry === entry && prepared.completedBefore === completed;
      if (prepared && (isSameNavigation || path === currentPath)) return prepared.promise;
      if (path === currentPath) return loading;
      const promise = trackPromise(transitionTo(entry, path, loading));
      preparedViews.set(loading, { entry, completedBefore: completed, promise });
      return promise;
    },
    complete(path) {
      if (path !== currentPath) completed += 1;
      currentPath = path;
      pending?.end();
      pending = undefined;
    },
    get isPending() {
      return pending !== undefined;
    },
  };
}
