import type { ComponentPropsWithoutRef, ReactElement } from "react";

import { classes } from "./classes.js";

/** Props of {@link Prose}: those of its element. */
export interface ProseProps extends ComponentPropsWithoutRef<"div"> {
  /** Element to render. Default: `div`. */
  readonly as?: "div" | "section" | "article";
}

/** Styles for long text: line length, spacing, tables. */
export function Prose({ as: Element = "div", className, ...rest }: ProseProps): ReactElement {
  return <Element {...rest} className={classes("prose", className)} />;
}
