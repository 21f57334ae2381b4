import type { ReactElement, ReactNode } from "react";

import { useSite } from "./context.js";
import type { JoinReason } from "./slot.js";

/** Name of the data attribute by which the shell knows such a form; its value is a {@link JoinReason}. */
export const JOIN_ATTRIBUTE = "data-join";

/** Props of {@link JoinButton}. */
export interface JoinButtonProps {
  /** What opens the dialog; see {@link JoinReason}. */
  readonly reason?: JoinReason;
  /** Class of the button. */
  readonly className?: string;
  /** Id of the element that says what it is about, where several stand on one page: the heading of an ad, say. */
  readonly describedBy?: string | undefined;
  /** What the button says. */
  readonly children: ReactNode;
}

/**
 * A button that opens the join dialog. It is a form that leads to the sign-up page; the shell
 * intercepts its submission and opens the dialog in place.
 */
export function JoinButton({ reason = "general", className, describedBy, children }: JoinButtonProps): ReactElement {
  const { signup } = useSite();
  return (
    <form action={signup.page} data-join={reason}>
      <button type="submit" className={className} aria-describedby={describedBy}>
        {children}
      </button>
    </form>
  );
}
