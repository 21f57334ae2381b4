import type { ReactElement, ReactNode } from "react";

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
