import { Notice } from "@colonnade/design";
import type { ReactElement } from "react";

/** A text of the gateway, in which backticks mark names and values. */
export function Message({ children }: { readonly children: string }): ReactElement {
  // The parts between a pair of backticks have odd places.
  const parts = children.split(/`([^`]*)`/);
  return <>{parts.map((part, index) => (index % 2 === 1 ? <code key={index}>{part}</code> : part))}</>;
}

interface UnreadableProps {
  /** What cannot be read, as in `The errors cannot be read`. */
  readonly what: string;
  /** Why; nothing is shown without it. */
  readonly error: string | undefined;
}

/** Says that a part of a page cannot be read, and why. */
export function Unreadable({ what, error }: UnreadableProps): ReactElement | null {
  if (error === undefined) return null;
  return (
    <Notice kind="error" role="alert" title={`The ${what} cannot be read`}>
      <p>
        <Message>{error}</Message>
      </p>
    </Notice>
  );
}
