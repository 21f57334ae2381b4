import type { ProblemCode } from "../codes.js";

/** A problem that a step found. The default code is COL100. */
export interface Violation {
  readonly problem: string;
  readonly code?: ProblemCode;
  readonly advice?: string;
  /** The part of the section's declaration that it is about, such as `pages /hello`. */
  readonly part?: string;
}

/** A step's result: a problem, or null. */
export type StepResult = Violation | null;
