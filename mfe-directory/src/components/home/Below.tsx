import { useHydrated } from "@colonnade/kit";
import type { ReactElement, ReactNode } from "react";

import { classes } from "../classes";
import css from "./Below.module.css";

/**
 * The sections below the first screens. A document that is drawn as it came lays each out when it is scrolled near, so
 * that what is in sight is there sooner. Once script has taken over they are laid out for good: where they end is then
 * exact, and going back finds its place.
 */
export function Below({ children }: { readonly children: ReactNode }): ReactElement {
  return <div className={classes("later", useHydrated() ? css.drawn : css.below)}>{children}</div>;
}
