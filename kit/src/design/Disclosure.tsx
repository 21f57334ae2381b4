import type { DetailsHTMLAttributes, ReactElement, ReactNode } from "react";

import { classes } from "./classes.js";

/** Props of {@link Disclosure}: those of `details`, and what is always seen of it. */
export interface DisclosureProps extends DetailsHTMLAttributes<HTMLDetailsElement> {
  /** What is always there, and opens the rest. */
  readonly summary: ReactNode;
}

/** Something to read that opens when asked for; without script, too. */
export function Disclosure({ summary, className, children, ...rest }: DisclosureProps): ReactElement {
  return (
    <details {...rest} className={classes("disclosure", className)}>
      <summary>{summary}</summary>
      <div className="disclosure-contents">{children}</div>
    </details>
  );
}
