import type { RetryProps } from "@colonnade/shell";
import { startTransition, useEffect, useEffectEvent, type ReactElement } from "react";

import { Message } from "./Message";
import { RetryButton } from "./RetryButton";

/** Shown in place of a page that failed to load while offline. Retries when the browser is back online. */
export function Offline({ retry }: RetryProps): ReactElement {
  const tryAgain = useEffectEvent(() => {
    startTransition(retry);
  });
  useEffect(() => {
    const onOnline = (): void => {
      tryAgain();
    };
    addEventListener("online", onOnline);
    return () => {
      removeEventListener("online", onOnline);
    };
  }, []);
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
