import type { ReactElement, ReactNode } from "react";

import { DIALOG_ATTRIBUTE, DIALOG_PARAMS_ATTRIBUTE } from "./context.js";
import type { DialogParams } from "./slot.js";

/** Props of {@link DialogForm}. */
export interface DialogFormProps {
  /** Name of the shell's slot whose dialog opens. */
  readonly slot: string;
  /** Path of the page that has the same content. It opens instead without JavaScript, or if no section fills the slot. */
  readonly page: string;
  /** Passed to the dialog. */
  readonly params?: DialogParams;
  /** One submit button. */
  readonly children: ReactNode;
}

/**
 * A form whose button opens a dialog. Without JavaScript, it opens the page with the same content; the shell opens the dialog
 * instead.
 *
 * @example
 * ```tsx
 * import { DialogForm } from "@colonnade/kit";
 *
 * export const Subscribe = () => (
 *   <DialogForm slot="newsletter" page="/newsletter">
 *     <button type="submit">Subscribe</button>
 *   </DialogForm>
 * );
 * ```
 */
export function DialogForm({ slot, page, params = {}, children }: DialogFormProps): ReactElement {
  const encoded = new URLSearchParams(params).toString();
  const attributes = { [DIALOG_ATTRIBUTE]: slot, [DIALOG_PARAMS_ATTRIBUTE]: encoded === "" ? undefined : encoded };
  return (
    <form action={page} {...attributes}>
      {children}
    </form>
  );
}
