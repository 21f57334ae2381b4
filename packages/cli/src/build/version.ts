import { createHash, type Hash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";

import { findCompiler } from "./compiler.js";
import { TOOL_FOLDERS } from "./toolFolders.js";
import { UsageError } from "./usageError.js";

/** Names in a package's root that no build reads. In other folders, files and folders with these names are inputs. */
const IGNORED: ReadonlySet<string> = new Set([
  "node_modules",
  "release",
  "release.building",
  "dist",
  "coverage",
  // The types of other sections' modules.
  ".colonnade",
  ".git",
  ".DS_Store",
  // What Turborepo and ESLint write.
  ".turbo",
  ".eslintcache",
]);
/** Tests, and what the TypeScript compiler writes for its next run. */
const NO_INPUT = /\.(test\.[a-z]+|tsbuildinfo)$/;

/** Whether a build of the package in `folder` could read a file. */
export function isInput(folder: string, file: string): boolean {
  const [first = ""] = path.relative(folder, file).split(path.sep);
  return !IGNORED.has(first) && !/[\\/]node_modules[\\/]/.test(`${file}/`) && !NO_INPUT.test(file);
}

const NONE_IGNORED: ReadonlySet<string> = new Set();
const LOCK_FILES = ["package-lock.json", "pnpm-lock.yaml", "yarn.lock"];
/** Stands for the hash of a build's inputs until all of them are known. */
export const UNKNOWN_INPUTS = "d9f3a07c52eb";

/** Options of a build. */
export interface BuildMode {
  /** Use the package's version without a suffix, for a release of a production site. */
  readonly final: boolean;
  /**
   * Shell only: bundle React's unminified development build, which reports errors to the console. Sections use the shell's
   * React, and a section built for development would not run in a production shell.
   */
  readonly development?: boolean;
  /** Section only: packages of the site that it may use in place of copies of its own, each with the exports that the site omits. */
  readonly shared?: readonly string[];
}

/** Identity of one build of a package. */
export interface BuildIdentity {
  /** `1.4.0` for a final build, otherwise `1.4.0-dev.<hash of the inputs>`. */
  readonly version: string;
  /** Global variable of the Module Federation container, unique per release. */
  readonly container: string;
  /**
   * Hash of the inputs: the package's files except tests, the files outside of it, the lockfile, the tools, and whether the package
   * has TypeScript.
   */
  readonly inputs: string;
}

/** Lists the files under a folder that a build could read, as sorted relative paths. */
export async function inputsBelow(folder: string, ignored: ReadonlySet<string> = IGNORED): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const files = await Promise.all(
    entries.map(async (entry) => {
      if (ignored.has(entry.name)) return [];
      if (entry.isDirectory())
        return (await inputsBelow(path.join(folder, entry.name), NONE_IGNORED)).map((file) =>
          path.join(entry.name, file),
        );
      return NO_INPUT.test(entry.name) ? [] : [entry.name];
    }),
  );
  return files.flat().sort();
}

// The nearest lockfile determines the versions of the dependencies.
async function lockFile(folder: string): Promise<Buffer> {
  for (const name of LOCK_FILES) {
    const file = await readFile(path.join(folder, name)).catch(() => undefined);
    if (file) return file;
  }
  const parent = path.dirname(folder);
  return parent === folder ? Buffer.alloc(0) : lockFile(parent);
}

/** Hashes the inputs of a build. `outside` are the files outside of the package that it reads, relative to the package. */
export async function hashInputs(
  folder: string,
  { development, shared = [] }: Pick<BuildMode, "development" | "shared">,
  outside: readonly string[],
): Promise<string> {
  const hash = createHash("sha256");
  if (development) hash.update("development\0");
  for (const name of shared) hash.update(`shared ${name}\0`);
  await addFiles(hash, folder, await inputsBelow(folder));
  await addFiles(hash, folder, outside);
  hash.update(await hashTools());
  // With it, a release has the types of its exposed modules.
  if (findCompiler(folder) !== undefined) hash.update("typescript\0");
  return shortDigest(hash.update(await lockFile(folder)));
}

let toolsHash: Promise<string> | undefined;

/** Returns the hash of the tools that every build depends on. It is that of this process, which has loaded them. */
export function hashTools(): Promise<string> {
  return (toolsHash ??= readTools());
}

async function readTools(): Promise<string> {
  const hash = createHash("sha256");
  for (const folder of TOOL_FOLDERS) {
    const compiled = path.join(folder, "dist");
    await addFiles(hash, compiled, await compiledModules(compiled));
  }
  return shortDigest(hash);
}

async function addFiles(hash: Hash, folder: string, files: readonly string[]): Promise<void> {
  for (const file of files) {
    const bytes = await readFile(path.join(folder, file)).catch(missing);
    hash.update(`${file}\0${String(bytes.length)}\0`).update(bytes);
  }
}

// A file outside of the package may have been deleted after the build that read it.
function missing(error: unknown): string {
  if ((error as NodeJS.ErrnoException).code === "ENOENT") return "";
  throw error;
}

function shortDigest(hash: Hash): string {
  return identifierOf(hash.digest("hex").slice(0, 12));
}

/** Returns a hash as an identifier in a version. */
export function identifierOf(hash: string): string {
  // Semantic Versioning 2.0.0, section 9: a numeric identifier has no leading zero.
  return /^0\d+$/.test(hash) ? `x${hash.slice(1)}` : hash;
}

// Without declarations and build info.
async function compiledModules(folder: string): Promise<string[]> {
  return (await inputsBelow(folder)).filter((file) => file.endsWith(".js"));
}

async function packageVersion(file: string): Promise<string> {
  try {
    return (JSON.parse(await readFile(file, "utf8")) as { version: string }).version;
  } catch (error) {
    throw new UsageError(`${file} cannot be read: ${String(error)}`, { cause: error });
  }
}

/** Computes a build's identity from its inputs. Does not build anything. */
export async function identify(
  folder: string,
  config: { readonly name: string },
  mode: BuildMode,
  outside: readonly string[] = [],
): Promise<BuildIdentity> {
  return identityWith(folder, config, mode, await hashInputs(folder, mode, outside));
}

/** The identity of a build with this hash of its inputs, such as {@link UNKNOWN_INPUTS}. */
export async function identityWith(
  folder: string,
  config: { readonly name: string },
  { final }: BuildMode,
  inputs: string,
): Promise<BuildIdentity> {
  const version = await packageVersion(path.join(folder, "package.json"));
  return {
    version: final ? version : `${version}-dev.${inputs}`,
    container: `${config.name.replaceAll("-", "_")}_${inputs}`,
    inputs,
  };
}
