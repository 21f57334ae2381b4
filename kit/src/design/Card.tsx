import type { ComponentPropsWithoutRef, ReactElement } from "react";

import { classes } from "./classes.js";

/** Props of {@link Card}: those of its element, and which one it is. */
export interface CardProps extends ComponentPropsWithoutRef<"div"> {
  /** The element; `div` unless told otherwise. */
  readonly as?: "div" | "article" | "section" | "li";
  /** The whole card leads where the one link within it leads. */
  readonly linked?: boolean;
}

/** A box on the page. */
export function Card({ as: Element = "div", linked, className, ...rest }: CardProps): ReactElement {
  return <Element {...(rest as object)} className={classes("card", linked && "linked", className)} />;
}
