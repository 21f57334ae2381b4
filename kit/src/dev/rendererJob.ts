import type { Rendered } from "../boot.js";
import type { Report } from "../check/report.js";

/** The argument of a renderer process. */
export interface RendererJob {
  /** Path of the script with the shared packages, the steps of the check and the shell's `render`. */
  readonly shared: string;
  /** Path of the section's script. */
  readonly bundle: string;
  /** File that receives the report if a render exceeds its limit. */
  readonly reports: string;
  /** The section's name. */
  readonly name: string;
}

/** The result of a render. The page is null if it threw. */
export interface RenderReply {
  readonly rendered: Rendered | null;
  readonly reports: readonly Report[];
}
