import type { ResolvedExtensions } from "@colonnade/kit/shell";
import { createContext } from "react";

/** The extensions of the current view. */
export interface ViewExtensions {
  /** Those of the points of the page and of the shell. */
  readonly extensions: ResolvedExtensions;
  /** Whether the view comes with the document. */
  readonly isServerRendered: boolean;
}

/** Those of the view around a place. While a navigation is pending, that is not the one at the current URL. */
export const ViewExtensions = createContext<ViewExtensions>({ extensions: {}, isServerRendered: false });
