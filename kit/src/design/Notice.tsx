import type { ComponentPropsWithoutRef, ReactElement } from "react";

import { classes } from "./classes.js";

/** Props of {@link Notice}: those of a `div`, and what it is. `role="alert"` or `"status"` has it read out as it appears. */
export interface NoticeProps extends ComponentPropsWithoutRef<"div"> {
  /** Something to know, unless told otherwise; or that something went well, or wrong. */
  readonly kind?: "note" | "success" | "error";
  /** A first line that stands out, and says in words what the colour says. */
  readonly title?: string;
}

/** A box with something to know. */
export function Notice({ kind = "note", title, className, children, ...rest }: NoticeProps): ReactElement {
  return (
    <div {...rest} className={classes("notice", kind !== "note" && kind, className)}>
      {title !== undefined && <p className="notice-title">{title}</p>}
      {children}
    </div>
  );
}
