import { Button } from "@colonnade/kit";
import { useTransition, type ReactElement } from "react";

/** Props of {@link RetryButton}. */
export interface RetryButtonProps {
  /** Retries. Called in a transition, so the error message stays until the outcome is known. */
  readonly retry: () => void | Promise<void>;
}

/** A button that retries, and shows when a retry is in progress. It is never disabled, so that it keeps the focus. */
export function RetryButton({ retry }: RetryButtonProps): ReactElement {
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
