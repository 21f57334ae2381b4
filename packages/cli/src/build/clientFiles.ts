import type { Compilation } from "webpack";

/** The files of a module of a container, relative to the release folder: those that it loads at first, and later. */
export interface ModuleFiles {
  readonly first: readonly string[];
  readonly later: readonly string[];
}

/** The files that a section's pages and extensions load, relative to the release folder. */
export interface SectionAssets {
  /** The files that every one of them needs. */
  readonly common: readonly string[];
  /**
   * The files of the page or extension of this name, whose module the entry module imports by this specifier. First are the
   * stylesheets of what the common code imports dynamically, except those that the page has itself: its
   * own imports determine their position in the cascade.
   */
  readonly assetsOf: (request: string, name: string) => string[];
  /** The packages that the module that the entry module imports by this specifier takes from the shell at first. */
  readonly sharedOf: (request: string) => string[];
  /** All files of the module of the container that is in the chunk of this name. */
  readonly moduleFiles: (chunk: string) => ModuleFiles;
}

/** A section's files for browsers. */
export interface ClientFiles {
  /** The container's script, relative to the release folder. */
  readonly entry: string;
  readonly assets: SectionAssets;
  /** What the files are compiled of. Absent if the section's own command has written them. */
  readonly compilation?: Compilation;
}

/** What a build command has written. */
export interface CommandOutput extends ClientFiles {
  /** The folder that the command wrote. Paths in its source maps are relative to their files there. */
  readonly folder: string;
  /** The files that no first view loads, relative to the release folder. */
  readonly later: readonly string[];
}
