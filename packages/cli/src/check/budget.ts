import { readFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { brotliCompress } from "node:zlib";

import type { Compilation, Module } from "webpack";

import type { Budget } from "../build/config.js";
import type { BuildContext } from "../build/context.js";
import type { Release } from "../build/release.js";
import { packageName } from "./packageImport.js";
import { isOwnSource } from "./positions.js";
import { problemOf, type Problem } from "./problem.js";

/** The default budget. The gateway has the same default in site.toml. */
const DEFAULT_BUDGET: Required<Budget> = { scriptKib: 32, styleKib: 8 };
const MAX_PACKAGES = 5;

const compress = promisify(brotliCompress);

/**
 * Finds the pages and extensions whose first view exceeds the budget. A first view is the entry, the common assets and
 * its own assets, each file once, compressed with Brotli.
 */
export async function findOversizedViews(
  { folder, output, config }: BuildContext,
  client: Compilation,
  { name, entry, assets, pages, extensions = [] }: Release,
): Promise<Problem[]> {
  const { scriptKib, styleKib } = { ...DEFAULT_BUDGET, ...config.budget };
  const views = [
    ...pages.map((page) => ({ view: `the page ${page.pattern}`, viewAssets: page.assets })),
    ...extensions.map(({ point, assets: viewAssets }) => ({ view: `the extension ${point}`, viewAssets })),
  ];
  const sizes = new Map<string, Promise<number>>();
  const sizeOf = (file: string): Promise<number> => {
    const size = sizes.get(file) ?? transferSize(path.join(output, file));
    sizes.set(file, size);
    return size;
  };
  const problems: Problem[] = [];
  for (const { view, viewAssets } of views) {
    const files = [...new Set([entry, ...assets, ...viewAssets])];
    for (const [fileKind, extension, limit] of [
      ["scripts", ".js", scriptKib],
      ["stylesheets", ".css", styleKib],
    ] as const) {
      const sized = await Promise.all(
        files.filter((file) => file.endsWith(extension)).map(async (file) => [file, await sizeOf(file)] as const),
      );
      const total = sized.reduce((sum, [, size]) => sum + size, 0);
      if (total <= limit * 1024) continue;
      const message = `${view} loads ${kib(total)} of ${fileKind} (Brotli), more than its budget of ${String(limit)} KiB: ${breakdown(sized, client, (module) => packageOf(folder, name, module))}`;
      problems.push(problemOf("COL140", message, undefined));
    }
  }
  return problems;
}

async function transferSize(file: string): Promise<number> {
  const bytes = await readFile(file);
  return Math.min(bytes.length, (await compress(bytes)).length);
}

/** Lists the packages with the most bytes. A module's share of its file is proportional to the size of its source. */
function breakdown(
  files: readonly (readonly [file: string, size: number])[],
  client: Compilation,
  nameOf: (module: Module) => string,
): string {
  const totals = new Map<string, number>();
  for (const [file, size] of files) {
    const modules = modulesOf(client, file);
    const all = modules.reduce((sum, module) => sum + module.size(), 0);
    for (const module of modules) {
      const name = nameOf(module);
      totals.set(name, (totals.get(name) ?? 0) + (size * module.size()) / all);
    }
  }
  return [...totals]
    .sort(([, a], [, b]) => b - a)
    .slice(0, MAX_PACKAGES)
    .map(([name, size]) => `${name} ${kib(size)}`)
    .join(", ");
}

function modulesOf(compilation: Compilation, file: string): Module[] {
  const name = path.posix.relative("client", file);
  const type = name.endsWith(".css") ? "css/mini-extract" : "javascript";
  const chunks = [...compilation.chunks].filter(({ files }) => files.has(name));
  return chunks
    .flatMap((chunk) => compilation.chunkGraph.getChunkModules(chunk))
    .flatMap((module) => (module as { readonly modules?: readonly Module[] }).modules ?? [module])
    .filter((module) => module.type.startsWith(type));
}

/** The npm package of a module, or the section's name. */
function packageOf(folder: string, section: string, module: Module): string {
  const file = module.nameForCondition() ?? "";
  const name = packageName(file);
  if (name !== undefined) return name;
  if (file === "") return "webpack";
  return isOwnSource(folder, file) ? section : path.relative(folder, path.dirname(file));
}

function kib(bytes: number): string {
  return `${(bytes / 1024).toFixed(1)} KiB`;
}
