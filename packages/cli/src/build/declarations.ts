import { execFile } from "node:child_process";
import { mkdir, readdir, rm, stat, writeFile } from "node:fs/promises";
import path from "node:path";

import * as tar from "tar";

import { findCompiler } from "./compiler.js";
import { tsconfigOf } from "./tsconfig.js";
import { UsageError } from "./usageError.js";

/**
 * The file of a section's release that has the types of its exposed modules: a compressed tar archive with `<name>.d.ts` for
 * each of them. One archive, because the gateway compresses and lists every file of a release.
 */
export const TYPES_ARCHIVE = "types.tgz";

/** The folder of a section that has the types of other sections' exposed modules. */
export const TYPES_FOLDER = ".colonnade/types";

/** A module that a section exposes, by its name, such as `./PriceTag`. The value is its path, relative to the package. */
type Exposes = Readonly<Record<string, string>>;

/**
 * Writes the types of exposed modules to {@link TYPES_ARCHIVE} in `output`, a folder within the package. TypeScript writes the
 * declarations. Writes nothing
 * if the package has no TypeScript or no `tsconfig.json`, or exposes no module.
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
  await mkdir(types, { recursive: true });
  try {
    const message = await compileDeclarations(compiler, { folder, tsconfig, temporary, types }, Object.values(exposes));
    for (const [name, module] of Object.entries(exposes)) await writeRoot(types, name, module, message);
    await mkdir(output, { recursive: true });
    const file = path.join(output, TYPES_ARCHIVE);
    const files = (await readdir(types, { recursive: true })).filter((name) => name.endsWith(".d.ts"));
    // Equal inputs give equal bytes.
    const options = { file, cwd: types, gzip: { level: 9 }, portable: true, mtime: new Date(0) };
    await tar.create(options, files.sort());
  } finally {
    await rm(temporary, { recursive: true });
  }
}

interface Compilation {
  readonly folder: string;
  readonly tsconfig: string;
  readonly temporary: string;
  readonly types: string;
}

/** Returns what the compiler prints. Type errors are for `tsc` of the team, not for the build. */
async function compileDeclarations(
  compiler: string,
  { folder, tsconfig, temporary, types }: Compilation,
  modules: readonly string[],
): Promise<string> {
  const file = path.join(temporary, "tsconfig.json");
  const compilerOptions = {
    composite: false,
    declaration: true,
    declarationMap: false,
    emitDeclarationOnly: true,
    incremental: false,
    noEmit: false,
    noEmitOnError: false,
    outDir: types,
    rootDir: folder,
  };
  const files = modules.map((module) => path.resolve(folder, module));
  await writeFile(file, JSON.stringify({ extends: tsconfig, compilerOptions, files, include: [], references: [] }));
  return new Promise((resolve) => {
    execFile(process.execPath, [compiler, "--project", file, "--pretty", "false"], { cwd: folder }, (_, out) => {
      resolve(out.trim());
    });
  });
}

/** Writes the declaration that consumers import, which re-exports that of the module. */
async function writeRoot(types: string, name: string, module: string, message: string): Promise<void> {
  const { dir, name: base } = path.parse(path.normalize(module));
  const declaration = path.join(dir, base);
  const isFile = await stat(path.join(types, `${declaration}.d.ts`)).then(
    (found) => found.isFile(),
    () => false,
  );
  if (!isFile)
    throw new UsageError(
      `TypeScript writes no declaration of ${module}, which is exposed as "${name}"` + (message && `:\n${message}`),
    );
  const root = path.join(types, `${name}.d.ts`);
  // The module is at the root of the package, with the name that it is exposed by.
  if (path.normalize(name) === declaration) return;
  const from = path.posix.relative(path.posix.dirname(name), declaration.split(path.sep).join("/"));
  const specifier = JSON.stringify(from.startsWith(".") ? from : `./${from}`);
  await mkdir(path.dirname(root), { recursive: true });
  await writeFile(root, `export * from ${specifier};\nexport { default } from ${specifier};\n`);
}
