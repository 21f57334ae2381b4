import { readFile, realpath } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";

import { init, parse } from "es-module-lexer";
import type { Compilation } from "webpack";

import { CONFIG_FILE } from "./config.js";
import { isFile } from "./isFile.js";
import { TOOL_FOLDERS } from "./toolFolders.js";
import { tsconfigFiles } from "./tsconfig.js";

/**
 * Returns the files outside of a package that its configuration reads: the configurations that its tsconfig.json extends, and
 * the modules that `section.config.js` imports. Sorted, relative to the package.
 */
export async function configurationFiles(folder: string): Promise<string[]> {
  const modules = new Set<string>();
  await init;
  await addImports(path.join(folder, CONFIG_FILE), modules);
  return outsideFiles(folder, [...tsconfigFiles(folder), ...modules]);
}

/** Returns the files outside of a package that webpack read, such as those of a workspace package. */
export async function compiledFiles(folder: string, ...compilations: readonly Compilation[]): Promise<string[]> {
  const files = compilations.flatMap(({ fileDependencies }) => [...fileDependencies]);
  // The resolver looks for package.json in all parent folders.
  return outsideFiles(
    folder,
    files.filter((file) => path.basename(file) !== "package.json"),
  );
}

// The files of the package, the lockfile and the tools are inputs of every build. The lockfile determines installed packages.
async function outsideFiles(folder: string, files: readonly string[]): Promise<string[]> {
  const roots = [await realpath(folder), folder, ...TOOL_FOLDERS].map((root) => root + path.sep);
  const outside = await Promise.all(
    [...new Set(files)].map(async (file) => {
      const isOutside = !roots.some((root) => file.startsWith(root)) && !/[\\/]node_modules[\\/]/.test(file);
      return isOutside && (await isFile(file)) ? [path.relative(folder, file).replaceAll(path.sep, "/")] : [];
    }),
  );
  return outside.flat().sort();
}

async function addImports(file: string, modules: Set<string>): Promise<void> {
  const source = await readFile(file, "utf8").catch(() => "");
  const require = createRequire(file);
  const [imports] = parse(source);
  for (const { n: specifier } of imports) {
    if (specifier === undefined) continue;
    const target = await resolved(require, specifier);
    if (target === undefined || modules.has(target)) continue;
    modules.add(target);
    if (
      /\.[cm]?js$/.test(target) &&
      !TOOL_FOLDERS.some((tool) => target.startsWith(tool)) &&
      !target.includes("node_modules")
    )
      await addImports(target, modules);
  }
}

async function resolved(require: NodeJS.Require, specifier: string): Promise<string | undefined> {
  try {
    const file = require.resolve(specifier);
    return path.isAbsolute(file) ? await realpath(file) : undefined;
  } catch {
    // Node.js could import the module, so it is a package that `require` does not support.
    return undefined;
  }
}
