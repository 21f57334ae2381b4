import type { ReactElement } from "react";

import { MessageArt } from "./MessageArt";
import { RetryButton, type RetryButtonProps } from "./RetryButton";

/** Stands in for a section that cannot be shown, while the rest of the site goes on. */
export function SectionFailed({ retry }: RetryButtonProps): ReactElement {
  return (
    <div className="page message" role="alert">
      <MessageArt />
      <h1>This part of the site is unavailable right now</h1>
      <p>Everything else works as usual. You can try again, or go on to another page.</p>
      <RetryButton retry={retry} />
    </div>
  );
}
