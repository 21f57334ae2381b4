import { useEffect, useLayoutEffect, useRef } from "react";
import { NavigationType, useLocation, useNavigationType } from "react-router-dom";

import type { View } from "../loading/view";
import { focusHeading, focusPlace } from "./focus";
import type { ScrollMemory } from "./scroll";

/** Marks the document between following a link and the page's arrival; the frame's stylesheet shows it. */
export function markNavigating(navigating: boolean): void {
  document.documentElement.toggleAttribute("data-navigating", navigating);
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
    const isFirst = before === null;
    const isNewPage = before?.view !== view || before.pathname !== pathname;
    const isNewEntry = before?.entry !== entry;
    const isBack = type === NavigationType.Pop;
    if (!isFirst && (isNewPage || (isNewEntry && !isBack && !hash))) {
      focusHeading();
      announce(document.title);
    }
    if (!isNewEntry) return undefined;
    // A frame later, so that what the page draws in its own effects has its height.
    const frame = requestAnimationFrame(() => {
      if (isBack && scroll.restore()) return;
      // In a page that came rendered the browser has gone there by itself, and the visitor may have gone on since.
      if (isFirst && cameRendered) return;
      if (hash) focusPlace(hash.slice(1));
      else if (!isFirst) scrollTo({ top: 0, behavior: "instant" });
    });
    return () => {
      cancelAnimationFrame(frame);
    };
  }, [view, scroll, announce, cameRendered, entry, pathname, hash, type]);
}
