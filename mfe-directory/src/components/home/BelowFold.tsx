import { classes } from "@colonnade/design";
import { useHydrated } from "@colonnade/kit";
import type { ReactElement, ReactNode } from "react";

import css from "./BelowFold.module.css";

/**
 * The content below the fold. Before hydration, layout of each section is deferred until it is scrolled near
 * (`content-visibility`), for a faster first paint. After hydration everything is laid out, so that scroll restoration
 * is exact.
 */
export function BelowFold({ children }: { readonly children: ReactNode }): ReactElement {
  return <div className={classes("deferred-layout", useHydrated() ? css.laidOut : css.deferred)}>{children}</div>;
}
