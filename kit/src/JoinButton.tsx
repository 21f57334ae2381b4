import type { ReactElement, ReactNode } from "react";

import { useSite } from "./context.js";
import type { JoinReason } from "./slot.js";

/** Data attribute that marks a join form for the shell. Its value is a {@link JoinReason}. */
export const JOIN_ATTRIBUTE = "data-join";

/** Props of {@link JoinButton}. */
export interface JoinButtonProps {
  /** Why the dialog opens. Default: `general`. */
  readonly reason?: JoinReason;
  /** Class of the button. */
  readonly className?: string;
  /** Id of the element that describes the button, such as a listing's heading. Use it for several buttons on one page. */
  readonly describedBy?: string | undefined;
  /** Button text. */
  readonly children: ReactNode;
}

/**
 * A button that opens the join dialog. It renders a form that links to the sign-up page. The shell intercepts the
 * submission and opens the dialog instead.
 *
 * @throws Error outside the shell, as {@link useSite} does.
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
