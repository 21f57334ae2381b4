import { isPagePath } from "@colonnade/kit";
import { useEffect } from "react";
import { useNavigate } from "react-router-dom";

import type { Views } from "../loading/view.js";
import { viewPath, withoutSlash } from "../loading/reload.js";
import { isNavigationPending } from "./navigationEffects.js";
import { saveOpenedLink } from "./openedLink.js";

// A pointer or focus that only passes over a link leaves it sooner.
const PREFETCH_DELAY_MS = 80;

/** The URL of the page that an anchor links to, without a trailing slash, or null if the browser must handle the link. */
export function pageUrl(anchor: HTMLAnchorElement): URL | null {
  if (anchor.target && anchor.target !== "_self") return null;
  if (anchor.hasAttribute("download") || !/^https?:$/.test(anchor.protocol)) return null;
  const url = new URL(anchor.href);
  if (url.origin !== location.origin || !isPagePath(url.pathname)) return null;
  url.pathname = withoutSlash(url.pathname);
  return url;
}

function closestAnchor(event: Event): HTMLAnchorElement | null {
  return event.target instanceof Element ? event.target.closest<HTMLAnchorElement>("a[href]") : null;
}

/** Whether `stopPropagation` was called. */
function isStopped({ cancelBubble }: { readonly cancelBubble: boolean }): boolean {
  return cancelBubble;
}

/** Whether a click opens the link in this tab. */
export function isPlainClick({ button, metaKey, ctrlKey, shiftKey, altKey }: MouseEvent): boolean {
  return button === 0 && !metaKey && !ctrlKey && !shiftKey && !altKey;
}

interface Connection {
  readonly saveData?: boolean;
  readonly effectiveType?: string;
}

// On a slow connection, prefetching would delay what the visitor requested.
function prefersLessData(): boolean {
  const { connection } = navigator as { readonly connection?: Connection };
  return (connection?.saveData ?? false) || (connection?.effectiveType?.endsWith("2g") ?? false);
}

/**
 * Handles clicks on links between pages of the site as client-side navigations, and prefetches a page when its link is
 * hovered or focused for a moment, or touched. This includes links in server-rendered HTML that is not hydrated: React stops
 * events there in the root element (`IS_CAPTURE_PHASE` in its event system), so listeners see them there or before.
 */
export function useLinks(views: Views): void {
  const navigate = useNavigate();
  useEffect(() => {
    const listeners = new AbortController();
    const { signal } = listeners;
    let prefetchTimer: ReturnType<typeof setTimeout> | undefined;

    const prefetch = (event: Event): void => {
      const anchor = closestAnchor(event);
      const url = anchor && pageUrl(anchor);
      if (url && !prefersLessData()) views.prefetch(viewPath(url));
    };
    const prefetchSoon = (event: Event): void => {
      clearTimeout(prefetchTimer);
      if (closestAnchor(event)) prefetchTimer = setTimeout(prefetch, PREFETCH_DELAY_MS, event);
    };
    const follow = (event: MouseEvent): void => {
      if (event.defaultPrevented || !isPlainClick(event)) return;
      const anchor = closestAnchor(event);
      const url = anchor && pageUrl(anchor);
      if (!anchor || !url) return;
      // A link to the current URL replaces the history entry, as in browsers.
      const replace = url.href === location.href;
      if ((replace || url.hash) && views.awaitsHydration(viewPath(url))) return;
      event.preventDefault();
      // While a navigation is pending, the entry is already that of the next page.
      if (!replace && !isNavigationPending()) saveOpenedLink(anchor);
      void navigate(`${url.pathname}${url.search}${url.hash}`, { replace });
    };
    const followStopped = (event: MouseEvent): void => {
      if (isStopped(event)) follow(event);
    };
    // After React's listener on the same element. The section's own listeners come before the one on the document.
    document.getElementById("root")?.addEventListener("click", followStopped, { signal, capture: true });
    document.addEventListener("click", follow, { signal });
    document.addEventListener(
      "pointerover",
      (event) => {
        if (event.pointerType === "mouse") prefetchSoon(event);
      },
      { signal },
    );
    document.addEventListener("focusin", prefetchSoon, { signal });
    document.addEventListener("touchstart", prefetch, { signal, capture: true, passive: true });
    return () => {
      clearTimeout(prefetchTimer);
      listeners.abort();
    };
  }, [navigate, views]);
}
