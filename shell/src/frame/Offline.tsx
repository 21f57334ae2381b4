import { startTransition, useEffect, useEffectEvent, type ReactElement } from "react";

import { MessageArt } from "./MessageArt";
import { RetryButton, type RetryButtonProps } from "./RetryButton";

/** Stands in for a page that could not be had because the visitor is offline. It is tried again once they are not. */
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
    <div className="page message" role="alert">
      <MessageArt />
      <h1>You are offline</h1>
      <p>
        This page has not been loaded before. It comes by itself once there is a connection; what you have read is still
        there, one step back.
      </p>
      <RetryButton retry={retry} />
    </div>
  );
}
