import { cp, mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";

import { isOwnSource } from "../check/positions.js";
import { pack } from "./archive.js";
import { findCompiler, runCompiler } from "./compiler.js";
import type { Exposes } from "./exposes.js";
import { tsconfigOf } from "./tsconfig.js";
import { UsageError } from "./usageError.js";

/**
 * The file of a section's release that has the types of its exposed modules: a compressed tar archive with `<name>.d.ts` for
 * each of them. One archive, because the gateway compresses and lists every file of a release.
 */
export const TYPES_ARCHIVE = "types.tgz";

/** The folder of a section that has the types of other sections' exposed modules. */
export const TYPES_FOLDER = ".colonnade/types";

/** Matches the name of a declaration. */
export const DECLARATION = /\.d\.[cm]?ts$/;

// The folder of an archive with the declarations of the section's files. No exposed module has this name.
const SOURCES = "_";

/**
 * Writes the types of exposed modules to {@link TYPES_ARCHIVE} in `output`, a folder within the package. TypeScript writes the
 * declarations. Writes nothing if the package has no TypeScript or no `tsconfig.json`, or exposes no module.
 *
 * @throws UsageError if TypeScript writes no declaration of a module.
 */
export async function writeDeclarations(folder: string, exposes: Exposes, output: string): Promise<void> {
  const compiler = findCompiler(folder);
  const tsconfig = tsconfigOf(folder);
  if (Object.keys(exposes).length === 0 || compiler === undefined || tsconfig === undefined) return;
  // Within the package, so that its installed types are found.
  const temporary = `${output}.types`;
  const types = path.join(temporary, "types");
  const emitted = path.join(temporary, "emitted");
  await mkdir(types, { recursive: true });
  try {
    const compilation = { folder, tsconfig, temporary, emitted };
    const message = await compileDeclarations(compiler, compilation, Object.values(exposes));
    const base = await moveSources(folder, emitted, path.join(types, SOURCES));
    for (const [name, module] of Object.entries(exposes)) {
      const source = path.relative(base, path.resolve(folder, module));
      if (!(await writeRoot(types, name, source)))
        throw new UsageError(
          `TypeScript writes no declaration of ${module}, which is exposed as "${name}"` + (message && `:\n${message}`),
        );
    }
    await mkdir(output, { recursive: true });
    await pack(path.join(output, TYPES_ARCHIVE), types, await declarationsBelow(types));
  } finally {
    await rm(temporary, { recursive: true });
  }
}

interface Compilation {
  readonly folder: string;
  readonly tsconfig: string;
  readonly temporary: string;
  /** Receives the declarations, by the absolute paths of their sources: files of other folders can be among them. */
  readonly emitted: string;
}

/** Returns the errors that the compiler prints. They are for `tsc` of the team, not for the build. */
async function compileDeclarations(
  compiler: string,
  { folder, tsconfig, temporary, emitted }: Compilation,
  modules: readonly string[],
): Promise<string> {
  const file = path.join(temporary, "tsconfig.json");
  const { root } = path.parse(folder);
  const compilerOptions = {
    composite: false,
    declaration: true,
    declarationDir: emitted,
    declarationMap: false,
    emitDeclarationOnly: true,
    incremental: false,
    listFiles: true,
    noEmit: false,
    noEmitOnError: false,
    rootDir: root,
  };
  const files = modules.map((module) => path.resolve(folder, module));
  await writeFile(file, JSON.stringify({ extends: tsconfig, compilerOptions, files, include: [], references: [] }));
  const lines = await runCompiler(compiler, folder, ["--project", file]);
  // The compiler does not copy declarations among the sources.
  const own = lines
    .map((line) => path.normalize(line))
    .filter((name) => DECLARATION.test(name) && isOwnSource(folder, name));
  for (const name of own) await cp(name, path.join(emitted, path.relative(root, name)));
  return lines.filter((line) => !path.isAbsolute(line)).join("\n");
}

/**
 * Moves the declarations below the nearest folder that has the package and all other sources, so that their relative imports
 * stay correct. Returns that folder, which is the package if it has all sources.
 */
async function moveSources(folder: string, emitted: string, target: string): Promise<string> {
  const { root } = path.parse(folder);
  const files = (await declarationsBelow(emitted)).map((file) => path.join(root, file));
  let base = folder;
  while (base !== root && !files.every((file) => file.startsWith(base + path.sep))) base = path.dirname(base);
  if (files.length > 0) await rename(path.join(emitted, path.relative(root, base)), target);
  return base;
}

/** Lists the declarations below a folder, as sorted relative paths. The folder need not exist. */
async function declarationsBelow(folder: string): Promise<string[]> {
  const files = await readdir(folder, { recursive: true }).catch(() => []);
  return files.filter((name) => DECLARATION.test(name)).sort();
}

/**
 * Writes the declaration that consumers import, which re-exports that of the module. `source` is its path below
 * {@link SOURCES}. Returns false if that has no declaration.
 */
async function writeRoot(types: string, name: string, source: string): Promise<boolean> {
  const { dir, name: base } = path.parse(source);
  const declaration = path.join(SOURCES, dir, base);
  const text = await readFile(path.join(types, `${declaration}.d.ts`), "utf8").catch(() => undefined);
  if (text === undefined) return false;
  const from = path.posix.relative(path.posix.dirname(name), declaration.split(path.sep).join("/"));
  const specifier = JSON.stringify(from.startsWith(".") ? from : `./${from}`);
  const root = path.join(types, `${name}.d.ts`);
  await mkdir(path.dirname(root), { recursive: true });
  // A default export, or one among those in braces. TypeScript writes each statement at the start of a line.
  const hasDefault = /^export (default\b|(type )?\{[^}]*\bdefault\s*[,}])/m.test(text);
  await writeFile(root, `export * from ${specifier};\n${hasDefault ? `export { default } from ${specifier};\n` : ""}`);
  return true;
}
