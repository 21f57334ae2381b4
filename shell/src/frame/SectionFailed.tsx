import type { ReactElement } from "react";

import { Message } from "./Message";
import { RetryButton, type RetryButtonProps } from "./RetryButton";

/** Stands in for a section that cannot be shown, while the rest of the site goes on. */
export function SectionFailed({ retry }: RetryButtonProps): ReactElement {
  return (
    <Message
      role="alert"
      heading="This part of the site is unavailable right now"
      text="Everything else works as usual. You can try again, or go on to another page."
    >
      <RetryButton retry={retry} />
    </Message>
  );
}
