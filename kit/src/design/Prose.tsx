import type { ComponentPropsWithoutRef, ReactElement } from "react";

import { classes } from "./classes.js";

/** Props of {@link Prose}: those of its element, and which one it is. */
export interface ProseProps extends ComponentPropsWithoutRef<"div"> {
  /** The element; `div` unless told otherwise. */
  readonly as?: "div" | "section" | "article";
}

/** Long text: measure, spacing, tables. */
export function Prose({ as: Element = "div", className, ...rest }: ProseProps): ReactElement {
  return <Element {...rest} className={classes("prose", className)} />;
}
