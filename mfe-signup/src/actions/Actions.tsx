import type { ReactElement, ReactNode } from "react";

import css from "./actions.module.css";

/** Props of {@link Actions}. */
export interface ActionsProps {
  /** Whether the row sticks to the lower edge of the dialog. */
  readonly docked: boolean;
  /** Line above the buttons, where the dialog is too low to show all its contents. */
  readonly summary?: ReactNode;
  /** Buttons. The first one takes the remaining width. */
  readonly children: ReactNode;
}

/** A row of buttons. Each state of the sign-up has its main button in the same place. */
export function Actions({ docked, summary, children }: ActionsProps): ReactElement {
  return (
    <div className={docked ? css.docked : undefined}>
      {docked && summary !== undefined && <p className={css.summary}>{summary}</p>}
      <div className={css.row}>{children}</div>
    </div>
  );
}
