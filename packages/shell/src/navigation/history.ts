import {
  createPath,
  NavigationType,
  UNSAFE_createBrowserHistory as createBrowserHistory,
  type Location,
  type Navigator,
} from "react-router-dom";

import type { Views } from "../loading/view.js";
import { viewPath } from "../loading/reload.js";
import { replaceState } from "./historyState.js";
import { setNavigationPending } from "./navigationEffects.js";
import type { ViewTransitions } from "./viewTransitions.js";

/** What the router renders. */
export interface RouterState {
  readonly action: NavigationType;
  readonly location: Location;
}

/** The browser's history, as the router sees it. */
export interface RouterHistory {
  readonly navigator: Navigator;
  /** The last state that was published. */
  readonly state: RouterState;
  /** Calls the listener for every new state. Returns a function that unsubscribes. */
  subscribe(listener: (state: RouterState) => void): () => void;
}

/** Returns what React Router uses of the window, with the browser's own methods of its history: see {@link replaceState}. */
function ownWindow(): Pick<Window, "location" | "addEventListener"> & { readonly history: Partial<History> } {
  return {
    history: {
      get state() {
        return history.state as unknown;
      },
      pushState: History.prototype.pushState.bind(history),
      replaceState,
      go: history.go.bind(history),
    },
    location,
    addEventListener: addEventListener.bind(window),
  };
}

/**
 * Creates the router's history. Back and forward are published once the page is loaded: React renders `popstate` updates
 * synchronously, so a page that suspends would be replaced by its fallback.
 */
export function createRouterHistory(views: Views, transitions: ViewTransitions): RouterHistory {
  // The history of `BrowserRouter`. It is not public API; history.test.ts covers what is used of it.
  const history = createBrowserHistory({ v5Compat: true, window: ownWindow() as Window });
  const first: RouterState = { action: NavigationType.Pop, location: history.location };
  let state = first;
  const listeners = new Set<(state: RouterState) => void>();

  function publish(next: RouterState): void {
    state = next;
    for (const listener of listeners) listener(next);
  }

  async function publishWhenLoaded(next: RouterState): Promise<void> {
    const { key, pathname } = next.location;
    const path = viewPath(next.location);
    setNavigationPending(true);
    await transitions.prepare(key, path, views.load(path));
    // The visitor may have navigated on meanwhile.
    const { location } = history;
    if (location.key === key && location.pathname === pathname) publish({ ...next, location });
  }

  history.listen(({ action, location }) => {
    const next = { action, location };
    const { search, hash } = location;
    const path = viewPath(location);
    const isPop = next.action === NavigationType.Pop;
    // An app in the page has been told of the navigation.
    if (isPop && location.key === state.location.key && createPath(location) === createPath(state.location)) return;
    if (isPop && views.awaitsHydration(path)) {
      // The browser handles an in-page jump. A page that was on its way no longer is: the same state changes nothing in React,
      // which would discard the HTML.
      setNavigationPending(false);
      if (state !== first) publish(first);
      return;
    }
    const isCurrent = transitions.isCurrent(path);
    if (isPop && !isCurrent) {
      void publishWhenLoaded(next);
      return;
    }
    // As in browsers, a link to the URL of the current page loads it again.
    const isReload = !isPop && isCurrent && !hash && search === state.location.search && views.invalidate(path);
    setNavigationPending(isReload || !isCurrent);
    publish(next);
  });

  return {
    navigator: history,
    get state() {
      return state;
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },
  };
}
