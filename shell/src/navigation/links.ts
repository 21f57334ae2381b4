import { isPagePath } from "@colonnade/kit";
import { useEffect } from "react";
import { useNavigate } from "react-router-dom";

import type { Views } from "../loading/view";
import { markNavigating } from "./arrival";

// Who is on the way to another link, by mouse or by Tab, does not stay as long.
const PAUSE_MS = 80;

/** The page of this site that an anchor leads to, or null where the browser is to follow it by itself. */
export function pageOf(anchor: HTMLAnchorElement): URL | null {
  if (anchor.target && anchor.target !== "_self") return null;
  if (anchor.hasAttribute("download") || !/^https?:$/.test(anchor.protocol)) return null;
  const url = new URL(anchor.href);
  if (url.origin !== location.origin || !isPagePath(url.pathname)) return null;
  return url;
}

function anchorOf(event: Event): HTMLAnchorElement | null {
  return event.target instanceof Element ? event.target.closest<HTMLAnchorElement>("a[href]") : null;
}

interface Connection {
  readonly saveData?: boolean;
  readonly effectiveType?: string;
}

// What nobody asked for yet would be in the way of what was asked for, where the connection is slow.
function wantsLessData(): boolean {
  const { connection } = navigator as { readonly connection?: Connection };
  return (connection?.saveData ?? false) || (connection?.effectiveType?.endsWith("2g") ?? false);
}

/**
 * Follows same-origin links in the page, whichever section drew them, and fetches what a link leads to
 * when it is hovered or focused for a moment, or touched. One listener serves all links, also before a
 * section's own code has arrived.
 */
export function useLinks(views: Views): void {
  const navigate = useNavigate();
  useEffect(() => {
    const listeners = new AbortController();
    const { signal } = listeners;
    let pause: ReturnType<typeof setTimeout> | undefined;

    const prefetch = (event: Event): void => {
      const anchor = anchorOf(event);
      const url = anchor && pageOf(anchor);
      if (url && !wantsLessData()) views.prefetch(url.pathname);
    };
    const prefetchSoon = (event: Event): void => {
      clearTimeout(pause);
      if (anchorOf(event)) pause = setTimeout(prefetch, PAUSE_MS, event);
    };
    document.addEventListener(
      "click",
      (event) => {
        if (
          event.defaultPrevented ||
          event.button !== 0 ||
          event.metaKey ||
          event.ctrlKey ||
          event.shiftKey ||
          event.altKey
        )
          return;
        const anchor = anchorOf(event);
        const url = anchor && pageOf(anchor);
        if (!url || (url.hash && views.awaits(url.pathname))) return;
        event.preventDefault();
        if (url.pathname !== location.pathname) markNavigating(true);
        // A link to the page that is shown replaces it, as browsers do.
        void navigate(`${url.pathname}${url.search}${url.hash}`, { replace: url.href === location.href });
      },
      { signal },
    );
    document.addEventListener(
      "pointerover",
      (event) => {
        if (event.pointerType === "mouse") prefetchSoon(event);
      },
      { signal },
    );
    document.addEventListener("focusin", prefetchSoon, { signal });
    document.addEventListener("touchstart", prefetch, { signal, passive: true });
    return () => {
      clearTimeout(pause);
      listeners.abort();
    };
  }, [navigate, views]);
}
