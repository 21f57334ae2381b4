import type { DialogParams } from "@colonnade/kit";
import { DIALOG_ATTRIBUTE, DIALOG_PARAMS_ATTRIBUTE } from "@colonnade/kit/shell";
import { useEffect } from "react";

import { isPlainClick } from "../navigation/links.js";
import type { DialogLoader } from "./dialogLoader.js";

/** What a form or an anchor opens. */
interface Target {
  readonly dialog: string;
  readonly params: DialogParams;
  /** Path of the page that has the same content. */
  readonly page?: string;
}

/** What opens a dialog: `tag` and its attribute. */
function targetOf({ target }: Event, tag = ""): Target | null {
  const opener = target instanceof Element ? target.closest(`${tag}[${DIALOG_ATTRIBUTE}]`) : null;
  if (!opener || !/^(_self)?$/.test(opener.getAttribute("target") ?? "")) return null;
  const valueOf = (name: string): string => opener.getAttribute(name) ?? "";
  return {
    dialog: valueOf(DIALOG_ATTRIBUTE),
    params: Object.fromEntries(new URLSearchParams(valueOf(DIALOG_PARAMS_ATTRIBUTE))),
    page: valueOf(opener.tagName === "FORM" ? "action" : "href"),
  };
}

/**
 * Listens on the document to the forms and links of all sections that open a dialog. Calls `open` when one is submitted or clicked,
 * which is then canceled, and loads the dialog when one is hovered, touched or focused.
 */
export function useDialogIntent(
  open: (dialog: string, params: DialogParams, page?: string) => void,
  start: () => Promise<{ readonly dialogs: DialogLoader }>,
): void {
  useEffect(() => {
    const listeners = new AbortController();
    const { signal } = listeners;
    const onOpen = (event: Event, tag: string): void => {
      const target = event.defaultPrevented ? null : targetOf(event, tag);
      if (!target) return;
      event.preventDefault();
      open(target.dialog, target.params, target.page);
    };
    const onIntent = (event: Event): void => {
      const target = targetOf(event);
      // A failure shows once the dialog is opened.
      if (target)
        start().then(
          ({ dialogs }) => {
            dialogs.preload(target.dialog);
          },
          () => undefined,
        );
    };
    document.addEventListener(
      "submit",
      (event) => {
        onOpen(event, "form");
      },
      { signal },
    );
    document.addEventListener(
      "click",
      (event) => {
        if (isPlainClick(event)) onOpen(event, "a");
      },
      { signal },
    );
    for (const type of ["pointerover", "touchstart", "focusin"])
      document.addEventListener(type, onIntent, { signal, passive: true });
    return () => {
      listeners.abort();
    };
  }, [open, start]);
}
