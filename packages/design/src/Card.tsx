import type { ComponentPropsWithoutRef, ReactElement } from "react";

import { classes } from "./classes.js";

/** Props of {@link Card}: those of its element. */
export interface CardProps extends ComponentPropsWithoutRef<"div"> {
  /** Element to render. Default: `div`. */
  readonly as?: "div" | "article" | "section" | "li";
  /** Makes the whole card clickable. It must contain exactly one link. */
  readonly linked?: boolean;
}

/** A bordered box. */
export function Card({ as: Element = "div", linked, className, ...rest }: CardProps): ReactElement {
  return <Element {...(rest as object)} className={classes("card", linked && "linked", className)} />;
}
