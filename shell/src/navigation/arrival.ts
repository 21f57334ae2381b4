import { useEffect, useLayoutEffect, useRef } from "react";
import { NavigationType, useLocation, useNavigationType } from "react-router-dom";

import type { View } from "../loading/view";
import { focusHeading, focusPlace } from "./focus";
import type { ScrollMemory } from "./scroll";
import type { PageTransitions } from "./transition";

/** Marks the document between following a link and the page's arrival; the frame's stylesheet shows it. */
export function markNavigating(navigating: boolean): void {
  document.documentElement.toggleAttribute("data-navigating", navigating);
}

/** Marks the document once script has taken over, with the first page that arrives; the design's `later` ends with it. */
function markArrived(): void {
  document.documentElement.toggleAttribute("data-arrived", true);
}

interface Shown {
  readonly view: View;
  readonly pathname: string;
  readonly entry: string;
}

/**
 * What happens when a page has arrived: scroll and focus go where a full page load would have put them,
 * and the new title is announced. Choosing the link of the page that is shown starts it afresh, and a
 * page that another attempt brought has arrived, too.
 */
export function useArrival(
  view: View | null,
  scroll: ScrollMemory,
  transitions: PageTransitions,
  announce: (text: string) => void,
  cameRendered: boolean,
): void {
  const { key, pathname, hash } = useLocation();
  const type = useNavigationType();
  const last = useRef<Shown | null>(null);
  // An address that was typed with a fragment starts an entry without a key of its own.
  const entry = `${key}${hash}`;

  // Before anything can scroll: the position now belongs to the new entry.
  useLayoutEffect(() => {
    scroll.follow(entry);
  }, [scroll, entry]);

  useEffect(() => {
    if (!view) return undefined;
    const before = last.current;
    last.current = { view, pathname, entry };
    markNavigating(false);
    markArrived();
    const isFirst = before === null;
    const isNewPage = before?.view !== view || before.pathname !== pathname;
    const isNewEntry = before?.entry !== entry;
    const isBack = type === NavigationType.Pop;
    if (!isFirst && (isNewPage || (isNewEntry && !isBack && !hash))) {
      focusHeading();
      announce(document.title);
    }
    const takePlace = (): void => {
      if (!isNewEntry) return;
      if (isBack && scroll.restore()) return;
      // In a page that came rendered the browser has gone there by itself, and the visitor may have gone on since.
      if (isFirst && cameRendered) return;
      if (hash) focusPlace(hash.slice(1));
      else if (!isFirst) scrollTo({ top: 0, behavior: "instant" });
    };
    // The browser draws no frame before the page has arrived. What the page draws in its own effects comes after this
    // one, where React has drawn the page at once.
    if (transitions.waits) {
      let current = true;
      queueMicrotask(() => {
        if (!current) return;
        takePlace();
        transitions.arrived(pathname);
      });
      return () => {
        current = false;
      };
    }
    transitions.arrived(pathname);
    // A frame later, so that what the page draws in its own effects has its height.
    const frame = requestAnimationFrame(takePlace);
    return () => {
      cancelAnimationFrame(frame);
    };
  }, [view, scroll, transitions, announce, cameRendered, entry, pathname, hash, type]);
}
