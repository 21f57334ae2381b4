import { Button } from "@colonnade/kit";
import { useTransition, type ReactElement } from "react";

/** Props of {@link RetryButton}. */
export interface RetryButtonProps {
  /** Starts another attempt, as part of a transition: what failed stays until the outcome is known. */
  readonly retry: () => void | Promise<void>;
}

/** A button that starts another attempt, and says so while it is under way. It is never disabled, to keep the focus. */
export function RetryButton({ retry }: RetryButtonProps): ReactElement {
  const [trying, startTransition] = useTransition();
  return (
    <Button
      busy={trying}
      onClick={() => {
        startTransition(retry);
      }}
    >
      {trying ? "Trying…" : "Try again"}
    </Button>
  );
}
