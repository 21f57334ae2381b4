import { Button } from "@colonnade/design";
import type { RetryProps } from "@colonnade/shell";
import { useTransition, type ReactElement } from "react";

/** A button that retries, and shows when a retry is in progress. It is never disabled, so that it keeps the focus. */
export function RetryButton({ retry }: RetryProps): ReactElement {
  const [retrying, startTransition] = useTransition();
  return (
    <Button
      busy={retrying}
      onClick={() => {
        startTransition(retry);
      }}
    >
      {retrying ? "Trying…" : "Try again"}
    </Button>
  );
}
