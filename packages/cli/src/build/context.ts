import type { CommandOutput } from "./buildCommand.js";
import type { SectionConfig } from "./config.js";
import type { SharedVersions } from "./shared.js";
import type { SiteBudget } from "./siteBudget.js";
import type { BuildIdentity, BuildMode } from "./version.js";

/** Input of the webpack configurations. */
export interface BuildContext {
  /** Folder of the package. */
  readonly folder: string;
  /** Folder that the release is written to. */
  readonly output: string;
  readonly config: SectionConfig;
  readonly identity: BuildIdentity;
  readonly installed: SharedVersions;
  readonly mode: BuildMode;
  /** What the section's own build command has written. Absent without one. */
  readonly written?: CommandOutput | undefined;
  /** The budget that the site sets, if it is known. */
  readonly siteBudget?: SiteBudget | undefined;
  /** For `colonnade check`: also extracts stylesheets on the server side, with source maps. */
  readonly isCheck?: boolean;
}
