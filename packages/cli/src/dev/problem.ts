import type { SectionProblem } from "../build/formatProblem.js";

/** The category of a problem of a section under development. */
export type DevelopmentProblemKind =
  "syntax" | "build" | "type" | "render" | "purity" | "hydration" | "runtime" | "policy";

/** A problem of a section under development, as the overlay and the terminal show it. */
export interface DevelopmentProblem extends SectionProblem {
  readonly kind: DevelopmentProblemKind;
  /** The page that was rendered. Absent if the problem does not depend on the page. */
  readonly path?: string;
}
