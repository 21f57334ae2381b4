import path from "node:path";

import webpack, { type Compilation, type NormalModule } from "webpack";

import { isOwnSource, parsePosition } from "./positions.js";
import { EVALUATION_HELP } from "./codes.js";
import type { Problem } from "./problem.js";
import { locateInSource } from "./sources.js";

const PACKAGE = /^.*[\\/]node_modules[\\/]((?:@[^\\/]+[\\/])?[^\\/]+)/;
// What code must not use on the server.
const IMPURE = /^COL10[1-6]$/;

/** Returns whether a problem is in the code of a package. */
export function isInPackage({ location = "" }: Pick<Problem, "location">): boolean {
  return location.includes("node_modules/");
}

/** The name of the npm package that contains a file. */
export function packageName(file: string): string | undefined {
  return PACKAGE.exec(file)?.[1]?.replaceAll("\\", "/");
}

/**
 * Moves a problem in a package's code to the import of the package in the section's sources, because a team cannot change the
 * package.
 */
export function atImport<P extends Problem>(folder: string, compilation: Compilation, problem: P): P {
  const position = parsePosition(problem.location);
  if (!position || !isInPackage(problem)) return problem;
  const file = path.resolve(folder, position.file);
  const found = findImport(folder, compilation, file);
  if (!found) return problem;
  const own = packageName(file) ?? "";
  const advice = problem.code === "COL121" ? EVALUATION_HELP.get(own) : undefined;
  const through = own === found.name ? "" : `, which ${found.name} imports`;
  return {
    ...problem,
    message: `${problem.message} in the package ${own}${through} (${problem.location ?? ""})`,
    location: found.location,
    ...(advice && { help: advice }),
    ...(IMPURE.test(problem.code) && {
      help:
        `${found.name} works only in the browser: import it in a component that \`lazy()\` loads, and render the component ` +
        "if `useHydrated()` is true. Otherwise use another package.",
    }),
  };
}

interface PackageImport {
  /** The package that the section imports. */
  readonly name: string;
  /** The position of the import. */
  readonly location: string;
}

/** Finds the import in the section's sources that leads to a file of a package. */
function findImport(folder: string, { modules, moduleGraph }: Compilation, file: string): PackageImport | undefined {
  let imported = [...modules].find((module) => (module as Partial<NormalModule>).resource === file);
  while (imported) {
    const importer = moduleGraph.getIssuer(imported);
    if (importer instanceof webpack.NormalModule && isOwnSource(folder, importer.resource)) {
      const name = packageName((imported as Partial<NormalModule>).resource ?? "");
      const connections = [...moduleGraph.getIncomingConnections(imported)];
      const { dependency } = connections.find(({ originModule }) => originModule === importer) ?? {};
      const start = (dependency?.loc as { start?: { line: number; column: number } } | undefined)?.start;
      return name !== undefined && start ? { name, location: locateInSource(folder, importer, start) } : undefined;
    }
    imported = importer ?? undefined;
  }
  return undefined;
}
