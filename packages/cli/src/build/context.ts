import type { CommandOutput } from "./clientFiles.js";
import type { SectionConfig } from "./config.js";
import type { SharedModule, SharedVersions } from "./shared.js";
import type { BuildTarget } from "./buildTarget.js";
import type { BuildIdentity, BuildMode } from "./version.js";

/** Input of the webpack configurations. */
export interface BuildContext {
  /** Folder of the package. */
  readonly folder: string;
  /** Folder that the release is written to. */
  readonly output: string;
  readonly config: SectionConfig;
  readonly identity: BuildIdentity;
  /** Versions of the packages that every shell shares and, for the shell, of those that it shares besides. */
  readonly installed: SharedVersions;
  /** Section only: the ranges of what it takes from the shell in place of copies of its own, besides React and the kit. Default: nothing. */
  readonly siteRanges?: SharedVersions;
  /** Shell only: the packages that it shares besides those of every shell. Default: none. */
  readonly sharedModules?: readonly SharedModule[];
  readonly mode: BuildMode;
  /** What the section's own build command has written. Absent without one. */
  readonly written?: CommandOutput | undefined;
  /** The budget that the site sets, if it is known. */
  readonly buildTarget?: BuildTarget | undefined;
  /** For `colonnade check`: also extracts stylesheets on the server side, with source maps. */
  readonly isCheck?: boolean;
}
