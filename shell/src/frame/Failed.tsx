import type { RetryProps } from "@colonnade/shell";
import type { ReactElement } from "react";

import { Message } from "./Message";
import { RetryButton } from "./RetryButton";

/** Shown in place of a section that failed. The rest of the site keeps working. */
export function Failed({ retry }: RetryProps): ReactElement {
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
