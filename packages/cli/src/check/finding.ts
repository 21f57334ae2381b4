import type { ProblemCode } from "./codes.js";
import type { Permission } from "./permission.js";
import type { SyntaxNode } from "./syntax.js";

/** A violation of a rule in a module. */
export interface Finding {
  readonly code: ProblemCode;
  readonly message: string;
  /** What to do instead, if the help text of the code does not say it. */
  readonly advice?: string;
  /** What permits it, if the policy can. */
  readonly permission?: Permission | undefined;
  /** Present if it is a problem only for some uses, which the check does not see. */
  readonly severity?: "warning";
  /** Where an error would occur at run time. */
  readonly node: SyntaxNode;
  /** False if the code may run only in the browser, where it is allowed. */
  readonly isCertain: boolean;
}

/** A violation that does not depend on where the code runs. */
export type Found = Omit<Finding, "isCertain">;
