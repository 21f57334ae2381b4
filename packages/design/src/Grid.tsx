import type { ComponentPropsWithoutRef, ReactElement } from "react";

import { classes } from "./classes.js";

/** Props of {@link Grid}: those of a list. */
export interface GridProps extends ComponentPropsWithoutRef<"ul"> {
  /** Minimum cell width: 9rem (`narrow`), 15rem (`normal`, the default) or 22rem (`wide`). */
  readonly cells?: "narrow" | "normal" | "wide";
}

/**
 * A list with as many columns as fit its own width. Its children are `li` elements. Each is a query container named `cell`,
 * for styles by the cell's width: `@container cell (min-width: 22rem)`.
 */
export function Grid({ cells = "normal", className, ...rest }: GridProps): ReactElement {
  return <ul {...rest} className={classes("grid cells", cells !== "normal" && cells, className)} />;
}
