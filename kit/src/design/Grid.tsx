import type { ComponentPropsWithoutRef, ReactElement } from "react";

import { classes } from "./classes.js";

/** Props of {@link Grid}: those of a list, and how wide its cells are at least. */
export interface GridProps extends ComponentPropsWithoutRef<"ul"> {
  /** At least 9, 15 or 22 rem each; `normal` unless told otherwise. */
  readonly cells?: "narrow" | "normal" | "wide";
}

/**
 * A list in as many columns as fit the room it is given, whatever the window's width. Its children are `li`; each is the
 * container `cell`, so that what stands within it can go by the cell's own width: `@container cell (min-width: 22rem)`.
 */
export function Grid({ cells = "normal", className, ...rest }: GridProps): ReactElement {
  return <ul {...rest} className={classes("grid cells", cells !== "normal" && cells, className)} />;
}
