import type { ReactElement } from "react";

/** The site's mark with a column that is not there: for what cannot be shown. */
export function MessageArt(): ReactElement {
  return (
    <svg className="message-art" viewBox="3 4 18 17" aria-hidden="true">
      <path d="M3 9 12 4l9 5v1.5H3zM5 12h2.5v6H5zM16.5 12H19v6h-2.5zM3 19.5h18V21H3z" />
      <path className="message-gap" d="M10.75 12h2.5v6h-2.5z" />
    </svg>
  );
}
