import { createRequire } from "node:module";
import path from "node:path";

/**
 * The packages that exist once in a page: the shell brings them, sections use the shell's. Nothing else
 * is shared; routing lives in the shell and reaches sections through the kit.
 */
export const SHARED_PACKAGES = ["react", "react-dom", "@colonnade/kit"] as const;

/** Versions or ranges by package. */
export type SharedVersions = Record<string, string>;

/** The versions of the shared packages that are installed for a package. */
export function installedVersions(folder: string): SharedVersions {
  const require = createRequire(path.join(folder, "package.json"));
  return Object.fromEntries(
    SHARED_PACKAGES.map((name) => [name, (require(packageFile(require, name)) as { version: string }).version]),
  );
}

// A package need not export its package.json, so it is found from its entry.
function packageFile(require: NodeJS.Require, name: string): string {
  const found = require.resolve.paths(name)?.map((folder) => path.join(folder, name, "package.json")) ?? [];
  for (const file of found) {
    try {
      return require.resolve(file);
    } catch {
      // Not in this folder; the next one up may have it.
    }
  }
  throw new Error(`${name} is not installed; run npm install`);
}

/** What a section asks for: anything compatible with what it was built against. */
export function neededRanges(installed: SharedVersions): SharedVersions {
  return Object.fromEntries(
    Object.entries(installed).map(([name, version]) => [name, `^${version.split("-")[0] ?? version}`]),
  );
}
