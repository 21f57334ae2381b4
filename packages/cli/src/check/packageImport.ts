import path from "node:path";

import webpack, { type Compilation, type Module, type NormalModule } from "webpack";

import { isOwnSource, parsePosition } from "./positions.js";
import { EVALUATION_HELP } from "./codes.js";
import type { Problem } from "./problem.js";
import { locateInSource } from "./sources.js";

const PACKAGE = /^.*[\\/]node_modules[\\/]((?:@[^\\/]+[\\/])?[^\\/]+)/;
// What code must not use on the server.
const IMPURE = /^COL10[1-6]$/;
const MAX_NAMES = 3;

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
  const ofSome = found.loaders.length > 1 ? `, loaded by ${shortList(found.loaders)}` : "";
  const loaders = found.isInEntry ? ", loaded by every page" : ofSome;
  return {
    ...problem,
    message: `${problem.message} in the package ${own}${through} (${problem.location ?? ""})${loaders}`,
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
  /** The modules of pages, of extensions and of other imports by import() whose chunks contain the file. */
  readonly loaders: readonly string[];
  /** Whether the file loads with the entry, and so with every page. */
  readonly isInEntry: boolean;
}

/** Finds the import in the section's sources that leads to a file of a package. */
function findImport(folder: string, compilation: Compilation, file: string): PackageImport | undefined {
  const { modules, moduleGraph } = compilation;
  const used = [...modules].find((module) => resourceOf(module) === file);
  let imported = used;
  while (used && imported) {
    const importer = moduleGraph.getIssuer(imported);
    if (importer instanceof webpack.NormalModule && isOwnSource(folder, importer.resource)) {
      const name = packageName(resourceOf(imported));
      const connections = [...moduleGraph.getIncomingConnections(imported)];
      const { dependency } = connections.find(({ originModule }) => originModule === importer) ?? {};
      const start = (dependency?.loc as { start?: { line: number; column: number } } | undefined)?.start;
      if (name === undefined || !start) return undefined;
      const location = locateInSource(folder, importer, start);
      return { name, location, ...findLoaders(folder, compilation, used) };
    }
    imported = importer ?? undefined;
  }
  return undefined;
}

/** The section's modules that import() loads and whose chunks contain a module. The build's own module imports the entry. */
function findLoaders(
  folder: string,
  { moduleGraph }: Compilation,
  used: Module,
): Pick<PackageImport, "loaders" | "isInEntry"> {
  const containing = new Set([used]);
  let isInEntry = false;
  const loaders = new Set<string>();
  for (const module of containing)
    for (const { originModule, dependency } of moduleGraph.getIncomingConnections(module)) {
      const file = resourceOf(module);
      const isLoaded = dependency?.type.startsWith("import()") && isOwnSource(folder, file);
      if (isLoaded && !isOwnSource(folder, resourceOf(originModule))) isInEntry = true;
      else if (isLoaded) loaders.add(path.relative(folder, file).replaceAll(path.sep, "/"));
      else if (originModule) containing.add(originModule);
    }
  return { loaders: [...loaders].sort(), isInEntry };
}

function resourceOf(module: Module | null): string {
  return (module as Partial<NormalModule> | null)?.resource ?? "";
}

function shortList(names: readonly string[]): string {
  const rest = names.length - MAX_NAMES;
  return names.slice(0, MAX_NAMES).join(", ") + (rest > 0 ? ` and ${String(rest)} more` : "");
}
