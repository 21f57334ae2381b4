import { useEffect, useLayoutEffect, useRef } from "react";
import { NavigationType, useLocation, useNavigationType } from "react-router-dom";

import { body } from "../documentMembers.js";
import type { View } from "../loading/view.js";
import { viewPath } from "../loading/reload.js";
import { focusFragment, focusHeading } from "./focus.js";
import { focusOpenedLink } from "./openedLink.js";
import type { ScrollRestoration } from "./scrollRestoration.js";
import type { ViewTransitions } from "./viewTransitions.js";

/** Marks the document while a navigation is pending. The stylesheet shows a progress bar for it. */
export function setNavigationPending(pending: boolean): void {
  document.documentElement.toggleAttribute("data-navigating", pending);
}

/** Whether a navigation is pending. */
export function isNavigationPending(): boolean {
  return document.documentElement.hasAttribute("data-navigating");
}

/**
 * Call when a server-rendered page hydrates. If the browser loaded the document for Back or Forward, focuses the opened link
 * one frame later, when the page has all its links, unless the visitor has moved the focus.
 */
export function restoreFocusAfterHydration(): void {
  const [entry] = performance.getEntriesByType("navigation");
  if ((entry as PerformanceNavigationTiming | undefined)?.type !== "back_forward") return;
  requestAnimationFrame(() => {
    if (document.activeElement === body) focusOpenedLink();
  });
}

/** Marks the document once the shell has rendered the first view: stylesheets can lay out content below the fold only then. */
function markFirstViewRendered(): void {
  document.documentElement.toggleAttribute("data-first-view-rendered", true);
}

interface RenderedPage {
  readonly view: View;
  readonly path: string;
  readonly entry: string;
}

/**
 * Runs after each navigation: sets scroll position and focus as a full page load would, and announces the new title. A
 * link to the current page resets both, and so does a successful retry.
 */
export function useNavigationEffects(
  view: View | null,
  scroll: ScrollRestoration,
  transitions: ViewTransitions,
  announce: (text: string) => void,
  isServerRendered: boolean,
): void {
  const at = useLocation();
  const { key, hash } = at;
  const path = viewPath(at);
  const type = useNavigationType();
  const previous = useRef<RenderedPage | null>(null);
  // A fragment typed into the address bar creates an entry without a key.
  const entry = `${key}${hash}`;

  // In a layout effect, before anything can scroll: the position now belongs to the new entry.
  useLayoutEffect(() => {
    scroll.setEntry(entry);
  }, [scroll, entry]);

  useEffect(() => {
    if (!view) return undefined;
    const before = previous.current;
    previous.current = { view, path, entry };
    setNavigationPending(false);
    markFirstViewRendered();
    const isFirst = before === null;
    const isNewPage = before?.view !== view || before.path !== path;
    const isNewEntry = before?.entry !== entry;
    const isPop = type === NavigationType.Pop;
    const isReturn = isNewEntry && isPop && !isFirst;
    if (!isFirst && (isNewPage || (isNewEntry && !isPop && !hash))) {
      if (!isReturn) focusHeading();
      announce(document.title);
    }
    const setPosition = (): void => {
      if (!isNewEntry) return;
      // Only now the page has the links that it renders in its own effects.
      if (isReturn && !focusOpenedLink() && isNewPage) focusHeading();
      if (isPop && scroll.restore()) return;
      // The browser itself scrolled the server-rendered page to the fragment; the visitor may have scrolled since.
      if (isFirst && isServerRendered) return;
      if (hash) focusFragment(hash.slice(1));
      else if (!isFirst) scrollTo({ top: 0, behavior: "instant" });
    };
    // During a view transition the browser draws no frame until `complete`. The microtask runs after the page's own
    // effects if React rendered the page synchronously.
    if (transitions.isPending) {
      let active = true;
      queueMicrotask(() => {
        if (!active) return;
        setPosition();
        transitions.complete(path);
      });
      return () => {
        active = false;
      };
    }
    transitions.complete(path);
    // In the next frame, once the content that the page renders in its own effects has its height.
    const frame = requestAnimationFrame(setPosition);
    return () => {
      cancelAnimationFrame(frame);
    };
  }, [view, scroll, transitions, announce, isServerRendered, entry, path, hash, type]);
}
