import type { ComponentPropsWithoutRef, ReactElement } from "react";

import { classes } from "./classes.js";

/** Props of {@link Notice}: those of a `div`. With `role="alert"` or `"status"`, screen readers announce it. */
export interface NoticeProps extends ComponentPropsWithoutRef<"div"> {
  /** Default: `note`. */
  readonly kind?: "note" | "success" | "error";
  /** Emphasized first line. States in words what the color indicates. */
  readonly title?: string;
}

/** A highlighted message. */
export function Notice({ kind = "note", title, className, children, ...rest }: NoticeProps): ReactElement {
  return (
    <div {...rest} className={classes("notice", kind !== "note" && kind, className)}>
      {title !== undefined && <p className="notice-title">{title}</p>}
      {children}
    </div>
  );
}
