import { DialogForm, useDialog, useSite } from "@colonnade/kit";
import type { ReactElement, ReactNode } from "react";

import { signupOf } from "./site.js";

/** Why the join dialog opens: `general` for a general invitation, `sample` for a sample listing. */
export type JoinReason = "general" | "sample";

// The section signup exposes it.
const JOIN_DIALOG = "signup/join";

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
 * A button that opens the join dialog. Without JavaScript it leads to the sign-up page.
 *
 * @throws Error outside the shell, as `useSite` does.
 */
export function JoinButton({ reason = "general", className, describedBy, children }: JoinButtonProps): ReactElement {
  const { page } = signupOf(useSite());
  return (
    <DialogForm dialog={JOIN_DIALOG} page={page} params={{ reason }}>
      <button type="submit" className={className} aria-describedby={describedBy}>
        {children}
      </button>
    </DialogForm>
  );
}

/**
 * Returns a function that opens the join dialog. For a button, use {@link JoinButton}.
 *
 * @throws Error outside the shell, as `useSite` does.
 */
export function useJoin(): (reason?: JoinReason) => void {
  const open = useDialog(JOIN_DIALOG, signupOf(useSite()).page);
  return (reason = "general") => {
    open({ reason });
  };
}
