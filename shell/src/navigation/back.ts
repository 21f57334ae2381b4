import type { Views } from "../loading/view";
import { markNavigating } from "./arrival";
import { readEntry } from "./entry";
import type { PageTransitions } from "./transition";

// As the router calls the entry that the document began with.
function entryName(): string {
  const { key } = readEntry();
  return typeof key === "string" ? key : "default";
}

/**
 * Has the router hear of a way back or forward once the page there can be drawn: React draws it at once, and would put
 * something else in the place of one that has to be waited for. To be called before the router listens.
 */
export function holdWayBack(views: Views, transitions: PageTransitions): void {
  let telling = false;
  addEventListener("popstate", (event) => {
    const { pathname } = location;
    if (telling) return;
    if (views.awaits(pathname)) {
      event.stopImmediatePropagation();
      return;
    }
    if (transitions.shows(pathname)) {
      markNavigating(false);
      return;
    }
    event.stopImmediatePropagation();
    markNavigating(true);
    const entry = entryName();
    void transitions.prepare(entry, pathname, views.view(pathname)).then(() => {
      // The visitor has gone on since.
      if (entryName() !== entry || location.pathname !== pathname) return;
      telling = true;
      dispatchEvent(new PopStateEvent("popstate", { state: history.state as unknown }));
      telling = false;
    });
  });
}
