import type { JoinReason } from "@colonnade/kit";
import { JOIN_ATTRIBUTE } from "@colonnade/kit/shell";
import { useEffect } from "react";

const SELECTOR = `form[${JOIN_ATTRIBUTE}]`;

function closestJoinForm(event: Event): Element | null {
  return event.target instanceof Element ? event.target.closest(SELECTOR) : null;
}

/**
 * Listens on the document to the join forms of all sections. Calls `open` when one is submitted, which is then
 * canceled, and `preload` when one is hovered, touched or focused, or when the browser is idle.
 */
export function useJoinIntent(open: (reason: JoinReason) => void, preload: () => void): void {
  useEffect(() => {
    const listeners = new AbortController();
    const { signal } = listeners;
    const onIntent = (event: Event): void => {
      if (closestJoinForm(event)) preload();
    };
    document.addEventListener(
      "submit",
      (event) => {
        const form = closestJoinForm(event);
        if (!form) return;
        event.preventDefault();
        open(form.getAttribute(JOIN_ATTRIBUTE) === "sample" ? "sample" : "general");
      },
      { signal },
    );
    for (const type of ["pointerover", "touchstart", "focusin"])
      document.addEventListener(type, onIntent, { signal, passive: true });
    // Safari does not support requestIdleCallback.
    const idle = typeof requestIdleCallback === "function" ? requestIdleCallback(preload) : undefined;
    return () => {
      listeners.abort();
      if (idle !== undefined) cancelIdleCallback(idle);
    };
  }, [open, preload]);
}
