import { useEffect, useLayoutEffect, useRef } from "react";
import { NavigationType, useLocation, useNavigationType } from "react-router-dom";

import type { ScrollMemory } from "./scroll";

/** Marks the document between following a link and the page's arrival; the frame's stylesheet shows it. */
export function markNavigating(navigating: boolean): void {
  document.documentElement.toggleAttribute("data-navigating", navigating);
}

function focusHeading(): void {
  const heading = document.querySelector<HTMLElement>("main h1");
  if (!heading) return;
  heading.tabIndex = -1;
  heading.focus({ preventScroll: true });
}

/**
 * What happens when a page has arrived: scroll and focus go where a full page load would have put them,
 * and the new title is announced.
 */
export function useArrival(scroll: ScrollMemory, announce: (text: string) => void): void {
  const { key, pathname, hash } = useLocation();
  const type = useNavigationType();
  const shown = useRef<string | null>(null);

  // Before anything can scroll: the position now belongs to the new entry.
  useLayoutEffect(() => {
    scroll.follow(key);
  }, [scroll, key]);

  useEffect(() => {
    const before = shown.current;
    shown.current = pathname;
    markNavigating(false);
    if (before !== null && before !== pathname) {
      focusHeading();
      announce(document.title);
    }
    // A frame later, so that what the page draws in its own effects has its height.
    const frame = requestAnimationFrame(() => {
      if (type === NavigationType.Pop && scroll.restore()) return;
      if (hash) document.getElementById(hash.slice(1))?.scrollIntoView();
      else if (before !== null && before !== pathname) scrollTo({ top: 0, behavior: "instant" });
    });
    return () => {
      cancelAnimationFrame(frame);
    };
  }, [scroll, announce, key, pathname, hash, type]);
}
