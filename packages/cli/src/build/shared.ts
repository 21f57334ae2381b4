import { createRequire } from "node:module";
import path from "node:path";

import { UsageError } from "./usageError.js";

const KIT = "@colonnade/kit";

/** Packages that the shell provides and sections share, with one instance per page. Sections bundle everything else. */
export const SHARED_PACKAGES = ["react", "react-dom", KIT] as const;

/** Versions or version ranges, by package name. */
export type SharedVersions = Record<string, string>;

/**
 * Returns the installed versions of the shared packages, resolved from a package's folder.
 *
 * @throws UsageError if one is not installed.
 */
export function installedVersions(folder: string): SharedVersions {
  const require = createRequire(path.join(folder, "package.json"));
  return Object.fromEntries(
    SHARED_PACKAGES.map((name) => [name, (require(packageFile(require, name)) as { version: string }).version]),
  );
}

// A package may not export its package.json, so the search walks the node_modules folders.
function packageFile(require: NodeJS.Require, name: string): string {
  const found = require.resolve.paths(name)?.map((folder) => path.join(folder, name, "package.json")) ?? [];
  for (const file of found) {
    try {
      return require.resolve(file);
    } catch {
      // Not in this folder; try its parent.
    }
  }
  // Plug'n'Play has no such folders. The build's loaders and child processes need them, too.
  if (process.versions.pnp !== undefined)
    throw new UsageError(`there is no node_modules; expected "nodeLinker: node-modules" in .yarnrc.yml`);
  throw new UsageError(`${name} is not installed; run npm install`);
}

/**
 * Returns the version ranges that a section requires: compatible with the versions it was built against. Any later kit is
 * compatible if its contract is the same, which the gateway checks by the contract in the release.
 */
export function neededRanges(installed: SharedVersions): SharedVersions {
  return Object.fromEntries(
    Object.entries(installed).map(([name, version]) => [
      name,
      `${name === KIT ? ">=" : "^"}${version.split("-")[0] ?? version}`,
    ]),
  );
}
