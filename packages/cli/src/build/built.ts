import type { Release } from "./release.js";
import type { BuildIdentity } from "./version.js";

/** A built release, the files that the build read, and its warnings. */
export interface Built {
  readonly release: Release;
  readonly identity: BuildIdentity;
  /** The files outside of the package that webpack read. */
  readonly outside: readonly string[];
  readonly warnings: readonly string[];
}

/** Called when a step of a build begins, such as "bundles". It is not called before the package is known to be valid. */
export type OnStep = (step: string) => void;
