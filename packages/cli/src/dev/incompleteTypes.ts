import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import path from "node:path";

import { findCompiler, runCompiler } from "../build/compiler.js";
import { TYPES_FOLDER, TYPES_INDEX } from "../build/declarations.js";
import { tsconfigOf } from "../build/tsconfig.js";

// Without writing files, and without TypeScript's own declarations, which take longest.
const ONCE = [
  ...["--noEmit", "--composite", "false", "--incremental", "false", "--listFiles"],
  ...["--skipLibCheck", "false", "--skipDefaultLibCheck", "true"],
];

/**
 * Finds why TypeScript silently takes types of other sections for `any` in the section in `folder`: its `tsconfig.json` does not
 * include them, or those of a section that its sources name need what it does not have, such as a package, which `skipLibCheck`
 * hides. Returns warnings, or none if the section has no TypeScript. `signal` ends the compiler.
 */
export async function findIncompleteTypes(folder: string, signal?: AbortSignal): Promise<string[]> {
  const compiler = findCompiler(folder);
  const tsconfig = tsconfigOf(folder);
  const index = path.join(folder, TYPES_FOLDER, TYPES_INDEX);
  if (compiler === undefined || tsconfig === undefined || !existsSync(index)) return [];
  const lines = await runCompiler(compiler, folder, ["--project", tsconfig, ...ONCE], signal);
  const files = lines.filter((line) => path.isAbsolute(line) && !line.includes("/node_modules/"));
  // A file with nothing but references has no files.
  if (files.length > 0 && !files.some((file) => file.endsWith(`/${TYPES_FOLDER}/${TYPES_INDEX}`)))
    return [
      `${path.basename(tsconfig)} does not include the types of other sections, so TypeScript accepts any module and any prop of ` +
        `<Remote>; add "${TYPES_FOLDER}" to "include"`,
    ];
  const own = files.filter((file) => !file.includes(`/${TYPES_FOLDER}/`));
  const sources = (await Promise.all(own.map((file) => readFile(file, "utf8").catch(() => "")))).join("\n");
  // A section that no source names is not the team's concern.
  const isNamed = (section = "") => new RegExp(`["'\`]${section}["'\`/]`).test(sources);
  const errors = lines.filter((line) => line.startsWith(`${TYPES_FOLDER}/`) && isNamed(line.split("/")[2]));
  if (errors.length === 0) return [];
  return [
    "the types of other sections need what is missing here, and TypeScript takes it for `any`; install the package or its " +
      `types, or ask the section's team to declare the type in its own files:\n${errors.join("\n")}`,
  ];
}
