import { useSyncExternalStore, type ReactElement } from "react";

import { MessageArt } from "./MessageArt";
import { RetryButton, type RetryButtonProps } from "./RetryButton";

function onConnection(listener: () => void): () => void {
  addEventListener("online", listener);
  addEventListener("offline", listener);
  return () => {
    removeEventListener("online", listener);
    removeEventListener("offline", listener);
  };
}

/** Stands in for a section that cannot be shown, while the rest of the site goes on; without a connection it says so. */
export function SectionFailed({ retry }: RetryButtonProps): ReactElement {
  const online = useSyncExternalStore(
    onConnection,
    () => navigator.onLine,
    () => true,
  );
  return (
    <div className="page message" role="alert">
      <MessageArt />
      {online ? (
        <>
          <h1>This part of the site is unavailable right now</h1>
          <p>Everything else works as usual. You can try again, or go on to another page.</p>
        </>
      ) : (
        <>
          <h1>You are offline</h1>
          <p>This page needs a connection. Check yours, then try again; pages you have open stay as they are.</p>
        </>
      )}
      <RetryButton retry={retry} />
    </div>
  );
}
