import type { ReleasePath } from "../build/release.js";
import type { ThrownError } from "./classify.js";
import type { ProblemCode } from "./codes.js";

/** What a child process checks. */
export interface CheckJob {
  /** Path of the script with the shared packages and the steps of the check. */
  readonly shared: string;
  /** Path of the script with the section. */
  readonly bundle: string;
  /** File that the process appends its reports to, one JSON document per line. */
  readonly reports: string;
  /** The section's name in its configuration. */
  readonly name: string;
  /** The page to check. Null to check the section itself and its slots. */
  readonly pattern: string | null;
}

/** What a child process found. Stacks contain positions in the bundle. */
export type Report =
  | { readonly kind: "paths"; readonly paths: readonly ReleasePath[] }
  | { readonly kind: "thrown"; readonly step: string; readonly error: ThrownError; readonly stack: string }
  | { readonly kind: "timeout"; readonly step: string; readonly limit: number; readonly stack: string }
  | {
      readonly kind: "violation";
      readonly code: ProblemCode;
      readonly message: string;
      readonly advice?: string;
      readonly stack?: string;
    };

/** File name of the section's script in stacks. */
export const BUNDLE_NAME = "colonnade-check-bundle.js";
