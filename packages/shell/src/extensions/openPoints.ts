import type { PointProps, ResolvedExtensions } from "@colonnade/kit/shell";
import { createContext } from "react";

/** The extension points around a component: those of the shell or, in a page, those of the page. */
export interface OpenPoints {
  /** The props of each point. */
  readonly props: PointProps;
  /** Absent without extensions. */
  readonly extensions?: ResolvedExtensions | undefined;
}

/** The extension points of the shell or of the page. */
export const OpenPointsContext = createContext<OpenPoints>({ props: {} });
