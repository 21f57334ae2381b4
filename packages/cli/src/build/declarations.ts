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

/** The file in {@link TYPES_FOLDER} that declares the modules of all sections. */
export const TYPES_INDEX = "remotes.d.ts";

/** Matches the name of a declaration. */
const DECLARATION = /\.d\.[cm]?ts$/;

const PART = /^(?!\.{1,2}$)[\w.@$+()[\]-]+$/;

/** Whether a file in {@link TYPES_ARCHIVE} can have this path. */
export function isDeclarationPath(file: string): boolean {
  return DECLARATION.test(file) && file.split("/").every((part) => PART.test(part));
}

/** Description of a path that {@link isDeclarationPath} accepts, for error messages. */
export const EXPECTED_PATH = 'the path of a declaration, of letters, digits and "_.@$+()[]-", such as "PriceTag.d.ts"';

// The folder of an archive with the declarations of the section's files. No exposed module has this name.
const SOURCES = "_";

/**
 * Writes the types of exposed modules to {@link TYPES_ARCHIVE} in `output`, a folder within the package. Writes nothing if the
 * package has no TypeScript or no `tsconfig.json`, or exposes no module. Returns warnings.
 *
 * @throws UsageError as {@link withDeclarations} does.
 */
export async function writeDeclarations(folder: string, exposes: Exposes, output: string): Promise<string[]> {
  if (Object.keys(exposes).length > 0 && tsconfigOf(folder) !== undefined && findCompiler(folder) === undefined)
    return ["other sections get no types of the exposed modules: the package has no TypeScript; install typescript"];
  let warnings: string[] = [];
  await withDeclarations(folder, exposes, `${output}.types`, async (types, ambient) => {
    await mkdir(output, { recursive: true });
    await pack(path.join(output, TYPES_ARCHIVE), types, await declarationsBelow(types));
    warnings = ambient.map(
      (name) =>
        `other sections do not know the type "${name}", which an exposed module uses: only modules and packages that it imports ` +
        "are part of its types; export the type from a module, and import it",
    );
  });
  return warnings;
}

/**
 * Lets TypeScript write the declarations of exposed modules, and passes their folder to `use`, with the names that they need and
 * do not import. `temporary` is a folder within the package, so that its installed types are found; it is removed at the end.
 * Does nothing if the package has no TypeScript or no `tsconfig.json`, or exposes no module. `signal` ends the compiler.
 *
 * @throws UsageError if TypeScript fails, writes no declaration of a module, or one whose path others refuse.
 */
export async function withDeclarations(
  folder: string,
  exposes: Exposes,
  temporary: string,
  use: (types: string, ambient: readonly string[]) => Promise<void>,
  signal?: AbortSignal,
): Promise<void> {
  const compiler = findCompiler(folder);
  const tsconfig = tsconfigOf(folder);
  if (Object.keys(exposes).length === 0 || compiler === undefined || tsconfig === undefined) return;
  const types = path.join(temporary, "types");
  const emitted = path.join(temporary, "emitted");
  // A killed process leaves it.
  await rm(temporary, { recursive: true, force: true });
  await mkdir(types, { recursive: true });
  try {
    const compilation = { folder, tsconfig, temporary, emitted, ...(signal && { signal }) };
    const messages = await compileDeclarations(compiler, compilation, Object.values(exposes));
    const ambient = await ambientNames(messages, folder, emitted);
    const base = await moveSources(folder, emitted, path.join(types, SOURCES));
    for (const [name, module] of Object.entries(exposes)) {
      const source = path.relative(base, path.resolve(folder, module));
      if (!(await writeRoot(types, name, source)))
        throw new UsageError(
          `TypeScript writes no declaration of ${module}, which is exposed as "${name}"` +
            (messages.length > 0 ? `:\n${messages.join("\n")}` : ""),
        );
    }
    await completeSpecifiers(types);
    await use(types, ambient);
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
  readonly signal?: AbortSignal;
}

/** Returns the errors that the compiler prints. They are for `tsc` of the team, not for the build. */
async function compileDeclarations(
  compiler: string,
  { folder, tsconfig, temporary, emitted, signal }: Compilation,
  modules: readonly string[],
): Promise<string[]> {
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
  const lines = await runCompiler(compiler, folder, ["--project", file], signal);
  // The compiler does not copy declarations among the sources.
  const own = lines
    .map((line) => path.normalize(line))
    .filter((name) => DECLARATION.test(name) && isOwnSource(folder, name));
  for (const name of own) await cp(name, path.join(emitted, path.relative(root, name)));
  return lines.filter((line) => line !== "" && !path.isAbsolute(line));
}

const NOT_FOUND = /^(.+)\(\d+,\d+\): error TS\d+: Cannot find (?:name|namespace) '([\w$]+)'/;

/**
 * Finds names that the compiler does not find from the modules alone, and that their declarations have: those of the package's
 * ambient declarations. In archives these would be global in all sections that fetch types, and contradict each other.
 */
async function ambientNames(messages: readonly string[], folder: string, emitted: string): Promise<string[]> {
  const names = new Set<string>();
  for (const [, file = "", name = ""] of messages.flatMap((message) => [NOT_FOUND.exec(message) ?? []])) {
    const source = path.relative(path.parse(folder).root, path.resolve(folder, file));
    const text = await readFile(path.join(emitted, source.replace(/\.tsx?$/, ".d.ts")), "utf8").catch(() => "");
    if (text.split(/[^\w$]+/).includes(name)) names.add(name);
  }
  return [...names].sort();
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

const RELATIVE = /(\bfrom\s*|\bimport\s*\(\s*|\bimport\s+)(["'])(\.\.?(?:\/[^"']*)?)\2/g;

/**
 * Gives relative imports of declarations an extension: the sections that use them may resolve modules as Node.js does.
 *
 * @throws UsageError if a path is not one of {@link isDeclarationPath}.
 */
async function completeSpecifiers(types: string): Promise<void> {
  const files = (await declarationsBelow(types)).map((file) => file.split(path.sep).join("/"));
  const invalid = files.find((file) => !isDeclarationPath(file));
  if (invalid !== undefined)
    throw new UsageError(`the types of the exposed modules have the file ${invalid}; expected ${EXPECTED_PATH}`);
  const known = new Set(files);
  for (const file of files) {
    const text = await readFile(path.join(types, file), "utf8");
    const complete = (specifier: string): string => {
      const base = specifier.replace(/\.[jt]sx?$/, "");
      const target = path.posix.join(path.posix.dirname(file), base);
      if (known.has(`${target}.d.ts`)) return `${base}.js`;
      return known.has(path.posix.join(target, "index.d.ts")) ? `${base.replace(/\/$/, "")}/index.js` : specifier;
    };
    const completed = text.replace(
      RELATIVE,
      (_, start: string, quote: string, specifier: string) => start + quote + complete(specifier) + quote,
    );
    if (completed !== text) await writeFile(path.join(types, file), completed);
  }
}
