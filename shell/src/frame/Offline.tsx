import type { RetryProps } from "@colonnade/shell";
import type { ReactElement } from "react";

import { Message } from "./Message";
import { RetryButton } from "./RetryButton";

/** Shown in place of a page that failed to load while offline. */
export function Offline({ retry }: RetryProps): ReactElement {
  return (
    <Message
      role="alert"
      heading="You’re offline"
      text="We’ll load this page when you’re back online. To see the last page again, go back."
    >
      <RetryButton retry={retry} />
    </Message>
  );
}
