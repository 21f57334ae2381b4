import { readdir } from "node:fs/promises";
import path from "node:path";

import { findCompiler, runCompiler } from "../build/compiler.js";
import { TYPES_FOLDER } from "../build/declarations.js";
import { tsconfigOf } from "../build/tsconfig.js";

// Without files, and without TypeScript's own declarations, which take longest.
const ONCE = [
  ...["--noEmit", "--composite", "false", "--incremental", "false"],
  ...["--skipLibCheck", "false", "--skipDefaultLibCheck", "true"],
];

/**
 * Finds what the types of other sections need and the section in `folder` does not have, such as a package. With
 * `skipLibCheck`, which most packages need, TypeScript silently takes it for `any`. Returns one warning for all, or none if the
 * types are complete or the section has no TypeScript. `signal` ends the compiler.
 */
export async function findIncompleteTypes(folder: string, signal?: AbortSignal): Promise<string[]> {
  const compiler = findCompiler(folder);
  const tsconfig = tsconfigOf(folder);
  // Beside the index of all modules, it has a folder for each section.
  const { length } = await readdir(path.join(folder, TYPES_FOLDER)).catch(() => []);
  if (compiler === undefined || tsconfig === undefined || length < 2) return [];
  const lines = await runCompiler(compiler, folder, ["--project", tsconfig, ...ONCE], signal);
  const errors = lines.filter((line) => line.startsWith(`${TYPES_FOLDER}/`));
  if (errors.length === 0) return [];
  return [
    "the types of other sections need what is missing here, and TypeScript takes it for `any`; install the package or its " +
      `types, or ask the section's team to declare the type in its own files:\n${errors.join("\n")}`,
  ];
}
