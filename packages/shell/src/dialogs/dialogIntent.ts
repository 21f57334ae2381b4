import type { DialogParams } from "@colonnade/kit";
import { DIALOG_ATTRIBUTE, DIALOG_PARAMS_ATTRIBUTE } from "@colonnade/kit/shell";
import { useEffect } from "react";

/** The dialog that the form around an element opens. */
function dialogOf(target: EventTarget | null, names: readonly string[]): { form: Element; slot: string } | null {
  const form = target instanceof Element ? target.closest(`form[${DIALOG_ATTRIBUTE}]`) : null;
  const slot = form?.getAttribute(DIALOG_ATTRIBUTE) ?? "";
  return form && names.includes(slot) ? { form, slot } : null;
}

function paramsOf(form: Element): DialogParams {
  return Object.fromEntries(new URLSearchParams(form.getAttribute(DIALOG_PARAMS_ATTRIBUTE) ?? ""));
}

/**
 * Listens on the document to the forms of all sections that open one of these dialogs. Calls `open` when one is submitted, which
 * is then canceled, and `preload` when one is hovered, touched or focused, or when the browser is idle.
 */
export function useDialogIntent(
  names: readonly string[],
  open: (slot: string, params: DialogParams) => void,
  preload: (slot: string) => void,
): void {
  useEffect(() => {
    const listeners = new AbortController();
    const { signal } = listeners;
    const onIntent = ({ target }: Event): void => {
      const dialog = dialogOf(target, names);
      if (dialog) preload(dialog.slot);
    };
    document.addEventListener(
      "submit",
      (event) => {
        const dialog = dialogOf(event.target, names);
        if (!dialog) return;
        event.preventDefault();
        open(dialog.slot, paramsOf(dialog.form));
      },
      { signal },
    );
    for (const type of ["pointerover", "touchstart", "focusin"])
      document.addEventListener(type, onIntent, { signal, passive: true });
    const preloadAll = (): void => {
      names.forEach(preload);
    };
    // Safari does not support requestIdleCallback.
    const idle = typeof requestIdleCallback === "function" ? requestIdleCallback(preloadAll) : undefined;
    return () => {
      listeners.abort();
      if (idle !== undefined) cancelIdleCallback(idle);
    };
  }, [names, open, preload]);
}
