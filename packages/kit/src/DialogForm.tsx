import type { AnchorHTMLAttributes, ReactElement, ReactNode } from "react";

import { DIALOG_ATTRIBUTE, DIALOG_PARAMS_ATTRIBUTE } from "./context.js";
import type { DialogParams } from "./dialog.js";

/** The dialog that a button or link opens. */
export interface DialogTarget {
  /** The section that exposes the dialog, and the name of its module, such as `news/newsletter`. */
  readonly dialog: string;
  /** Path of the page that has the same content. It opens instead without JavaScript, or if no live section exposes the dialog. */
  readonly page: string;
  /** Passed to the dialog. */
  readonly params?: DialogParams;
}

/** Props of {@link DialogForm}. */
export interface DialogFormProps extends DialogTarget {
  /** One submit button. */
  readonly children: ReactNode;
}

/** Props of {@link DialogLink}: those of an anchor, with the dialog and its page instead of `href`. */
export interface DialogLinkProps extends Omit<AnchorHTMLAttributes<HTMLAnchorElement>, "href">, DialogTarget {}

function attributesOf(dialog: string, params: DialogParams = {}): Readonly<Record<string, string | undefined>> {
  const encoded = new URLSearchParams(params).toString();
  return { [DIALOG_ATTRIBUTE]: dialog, [DIALOG_PARAMS_ATTRIBUTE]: encoded === "" ? undefined : encoded };
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
 *   <DialogForm dialog="news/newsletter" page="/newsletter">
 *     <button type="submit">Subscribe</button>
 *   </DialogForm>
 * );
 * ```
 */
export function DialogForm({ dialog, page, params, children }: DialogFormProps): ReactElement {
  return (
    <form action={page} {...attributesOf(dialog, params)}>
      {children}
    </form>
  );
}

/**
 * A link that opens a dialog. Without JavaScript, and in a new tab, it opens the page with the same content.
 *
 * @example
 * ```tsx
 * import { DialogLink } from "@colonnade/kit";
 *
 * export const Subscribe = () => (
 *   <DialogLink dialog="news/newsletter" page="/newsletter" params={{ from: "footer" }}>
 *     Subscribe
 *   </DialogLink>
 * );
 * ```
 */
export function DialogLink({ dialog, page, params, ...rest }: DialogLinkProps): ReactElement {
  return <a href={page} {...attributesOf(dialog, params)} {...rest} />;
}
