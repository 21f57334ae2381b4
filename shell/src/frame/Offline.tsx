import { startTransition, useEffect, useEffectEvent, type ReactElement } from "react";

import { Message } from "./Message";
import { RetryButton, type RetryButtonProps } from "./RetryButton";

/** Shown in place of a page that failed to load while offline. Retries when the browser is back online. */
export function Offline({ retry }: RetryButtonProps): ReactElement {
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
      heading="You are offline"
      text="This page has not been loaded before. It comes by itself once there is a connection; what you have read is still there, one step back."
    >
      <RetryButton retry={retry} />
    </Message>
  );
}
