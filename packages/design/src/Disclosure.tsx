import type { DetailsHTMLAttributes, ReactElement, ReactNode } from "react";

import { classes } from "./classes.js";

/** Props of {@link Disclosure}: those of `details`. */
export interface DisclosureProps extends DetailsHTMLAttributes<HTMLDetailsElement> {
  /** Always visible. Toggles the contents. */
  readonly summary: ReactNode;
}

/** Collapsible content. Works without JavaScript. */
export function Disclosure({ summary, className, children, ...rest }: DisclosureProps): ReactElement {
  return (
    <details {...rest} className={classes("disclosure", className)}>
      <summary>{summary}</summary>
      <div className="disclosure-contents">{children}</div>
    </details>
  );
}
