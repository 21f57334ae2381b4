import { Button } from "@colonnade/design";
import type { RetryProps } from "@colonnade/shell";
import { useTransition, type ReactElement, type ReactNode } from "react";

interface MessageProps {
  readonly heading: string;
  readonly text: string;
  /** Makes screen readers announce the message. */
  readonly role?: "alert";
  /** Buttons and links. */
  readonly children: ReactNode;
}

/** Shown in place of a page: the logo with a missing column, a heading, a text, and buttons or links. */
export function Message({ heading, text, role, children }: MessageProps): ReactElement {
  return (
    <div className="page message" role={role}>
      {/* Attributes, because every page contains the styles. */}
      <svg viewBox="3 4 18 17" width="88" fill="var(--color-accent)" aria-hidden="true">
        <path d="M3 9 12 4l9 5v1.5H3zM5 12h2.5v6H5zM16.5 12H19v6h-2.5zM3 19.5h18V21H3z" />
        <path
          d="M10.75 12h2.5v6h-2.5z"
          fill="none"
          stroke="var(--color-accent)"
          strokeWidth="0.4"
          strokeDasharray="0.9 0.6"
        />
      </svg>
      <h1>{heading}</h1>
      <p>{text}</p>
      {children}
    </div>
  );
}

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

/** Shown while a page loads. */
export function Loading(): ReactElement {
  return (
    <div className="page message" aria-busy="true">
      <p className="loading">Loading…</p>
    </div>
  );
}

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
