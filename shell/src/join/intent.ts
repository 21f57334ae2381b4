import type { JoinReason } from "@colonnade/kit";
import { JOIN_ATTRIBUTE } from "@colonnade/kit/shell";
import { useEffect } from "react";

const SELECTOR = `form[${JOIN_ATTRIBUTE}]`;

function formOf(event: Event): Element | null {
  return event.target instanceof Element ? event.target.closest(SELECTOR) : null;
}

/**
 * Listens for visitors who want to join, whichever section drew the button: `open` when a join form is
 * submitted (which then goes nowhere), `warm` when one is hovered, touched or focused, or when the
 * browser is idle.
 */
export function useJoinIntent(open: (reason: JoinReason) => void, warm: () => void): void {
  useEffect(() => {
    const listeners = new AbortController();
    const { signal } = listeners;
    const onIntent = (event: Event): void => {
      if (formOf(event)) warm();
    };
    document.addEventListener(
      "submit",
      (event) => {
        const form = formOf(event);
        if (!form) return;
        event.preventDefault();
        open(form.getAttribute(JOIN_ATTRIBUTE) === "sample" ? "sample" : "general");
      },
      { signal },
    );
    for (const type of ["pointerover", "touchstart", "focusin"])
      document.addEventListener(type, onIntent, { signal, passive: true });
    // Safari has no idle callback.
    const idle = typeof requestIdleCallback === "function" ? requestIdleCallback(warm) : undefined;
    return () => {
      listeners.abort();
      if (idle !== undefined) cancelIdleCallback(idle);
    };
  }, [open, warm]);
}
