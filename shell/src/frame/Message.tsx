import type { ReactElement, ReactNode } from "react";

/** Props of {@link Message}. */
export interface MessageProps {
  readonly heading: string;
  readonly text: string;
  /** Says that what is shown was not asked for, and has it read out. */
  readonly role?: "alert";
  /** The ways on. */
  readonly children: ReactNode;
}

/** Stands in for a page that cannot be shown: the site's mark with a column that is not there, why that is, and the ways on. */
export function Message({ heading, text, role, children }: MessageProps): ReactElement {
  return (
    <div className="page message" role={role}>
      <svg viewBox="3 4 18 17" aria-hidden="true">
        <path d="M3 9 12 4l9 5v1.5H3zM5 12h2.5v6H5zM16.5 12H19v6h-2.5zM3 19.5h18V21H3z" />
        <path d="M10.75 12h2.5v6h-2.5z" />
      </svg>
      <h1>{heading}</h1>
      <p>{text}</p>
      {children}
    </div>
  );
}
