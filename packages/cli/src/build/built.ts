import type { Release } from "./release.js";

/** A built release, the files that the build read, and its warnings. */
export interface Built {
  readonly release: Release;
  /** The files outside of the package that webpack read. */
  readonly outside: readonly string[];
  readonly warnings: readonly string[];
}

/** Called when a step of a build begins, such as "client bundle". It is not called before the package is known to be valid. */
export type OnStep = (step: string) => void;
