import type { ReactElement, ReactNode } from "react";

import css from "./actions.module.css";
import { useInView } from "./useInView";

interface ActionsProps {
  /** Whether the row sticks to the lower edge of the dialog. */
  readonly docked: boolean;
  /** What the end of a docked form says, in short: shown above the row while that end is out of view. */
  readonly summary?: ReactNode;
  /** Buttons. The first one takes the remaining width. */
  readonly children: ReactNode;
}

/** A row of buttons. Each state of the sign-up has its main button in the same place. */
export function Actions({ docked, summary, children }: ActionsProps): ReactElement {
  const [end, endInView] = useInView();
  return (
    <>
      <div className={docked ? css.docked : undefined}>
        {summary !== undefined && !endInView && (
          // Screen readers read the end of the form itself.
          <p className={css.summary} aria-hidden="true">
            {summary}
          </p>
        )}
        <div className={css.row}>{children}</div>
      </div>
      <span ref={end} className={css.end} />
    </>
  );
}
