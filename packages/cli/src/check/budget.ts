import { readFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants } from "node:zlib";

import type { Compilation, Module } from "webpack";

import type { Budget } from "../build/config.js";
import type { ClientFiles, CommandOutput } from "../build/clientFiles.js";
import type { BuildContext } from "../build/context.js";
import type { Release } from "../build/release.js";
import { packageName } from "./packageImport.js";
import { isOwnSource } from "./positions.js";
import { problemOf, type Problem } from "./problem.js";

/** The default budget. The gateway has the same default in site.toml. */
const DEFAULT_BUDGET: Required<Budget> = { scriptKib: 32, styleKib: 8 };
const MAX_PARTS = 5;

const compress = promisify(brotliCompress);

/**
 * Finds the pages and extensions whose first view exceeds the budget, and scripts that no budget counts. A first view is the entry,
 * the common assets and its own assets, each file once, compressed with Brotli.
 */
export async function findOversizedViews(
  context: BuildContext,
  { compilation, later }: ClientFiles & Partial<CommandOutput>,
  release: Release,
): Promise<Problem[]> {
  const { entry, assets, pages, extensions = [] } = release;
  const { folder, output } = context;
  const views = [
    ...pages.map((page) => ({ view: `the page ${page.pattern}`, viewAssets: page.assets, point: "" })),
    ...extensions.map(({ point, assets: viewAssets }) => ({ view: `the extension ${point}`, viewAssets, point })),
  ];
  const sizeOf = transferSizes(output);
  const oversized: { readonly message: string; readonly kibs: number; readonly raise: Limit["raise"] }[] = [];
  for (const { view, viewAssets, point } of views) {
    const files = [...new Set([entry, ...assets, ...viewAssets])];
    for (const kind of KINDS) {
      const sized = await Promise.all(
        files.filter((file) => file.endsWith(kind.extension)).map(async (file) => [file, await sizeOf(file)] as const),
      );
      const total = sized.reduce((sum, [, size]) => sum + size, 0);
      const { limit, setBy, raise } = limitOf(kind, point, context);
      if (total <= limit * 1024) continue;
      const loads = `${view} loads ${kib(total)} of ${kind.files} (Brotli), more than its budget of ${String(limit)} KiB (${setBy})`;
      const parts = largest(partSizes(sized, compilation, (module) => partOf(folder, module)));
      oversized.push({ message: `${loads}: ${parts}`, kibs: Math.ceil(total / 1024), raise });
    }
  }
  const problems = oversized.map(({ message, raise }) => {
    // One setting is the limit of several views, so all name the value that is enough for them.
    const ofSetting = oversized.filter((other) => other.raise(0) === raise(0));
    const needed = raise(Math.max(...ofSetting.map(({ kibs }) => kibs)));
    const advice = `Load large packages with lazy() or import(), use smaller ones, or ${needed}`;
    return problemOf("COL140", message, undefined, advice);
  });
  // webpack's compilation says which files load later.
  const unlisted = later ? await findUnlisted(release, later, sizeOf) : [];
  return [...findIneffective(context), ...unlisted, ...problems];
}

/** Warns of scripts and stylesheets that a build command has written and does not list. */
async function findUnlisted(
  { entry, assets, pages, extensions = [], files }: Release,
  later: readonly string[],
  sizeOf: (file: string) => Promise<number>,
): Promise<Problem[]> {
  const listed = new Set([entry, ...assets, ...[...pages, ...extensions].flatMap((view) => view.assets), ...later]);
  const unlisted = files
    .map((file) => file.path)
    .filter(
      (file) =>
        file.startsWith("client/") && KINDS.some(({ extension }) => file.endsWith(extension)) && !listed.has(file),
    );
  if (unlisted.length === 0) return [];
  const sizes = await Promise.all(unlisted.map(async (file) => [file, await sizeOf(file)] as const));
  const message = "release.json of the build command does not list these files, so no budget counts them";
  return [problemOf("COL142", `${message}: ${largest(new Map(sizes))}`, undefined)];
}

/** Describes the budget of the section's pages, and who sets it. */
export function describeBudget(context: Pick<BuildContext, "config" | "buildTarget">): string {
  const limits = KINDS.map((kind) => {
    const { limit, setBy } = limitOf(kind, "", context);
    return `${String(limit)} KiB of ${kind.files} (${setBy})`;
  });
  return `a page loads at most ${limits.join(" and ")}; \`colonnade check\` measures it`;
}

/** Scripts have a budget. */
export const SCRIPTS = {
  files: "scripts",
  extension: ".js",
  budgetKey: "scriptKib",
  siteKey: "page_script_kib",
} as const;

/** The kinds of files that have a budget. */
const KINDS = [
  SCRIPTS,
  { files: "stylesheets", extension: ".css", budgetKey: "styleKib", siteKey: "page_style_kib" },
] as const;

type Kind = (typeof KINDS)[number];

interface Limit {
  /** In KiB. */
  readonly limit: number;
  readonly setBy: string;
  /** Says how to get a budget of this many KiB. */
  readonly raise: (needed: number | "N") => string;
}

/**
 * The budget of a page, or of the extension of a point: the section's own, or that of the site, if it is smaller. A site that is not
 * known has the default.
 */
export function limitOf(
  { budgetKey, siteKey, extension }: Kind,
  point: string,
  { config: { name, budget }, buildTarget }: Pick<BuildContext, "config" | "buildTarget">,
): Limit {
  const id = point.slice(0, point.indexOf("@"));
  const ofPoint = extension === ".js" ? buildTarget?.extensionPoints[id] : undefined;
  const ofSite = ofPoint ?? (buildTarget ?? DEFAULT_BUDGET)[budgetKey];
  const own = budget?.[budgetKey];
  const limit = Math.min(own ?? ofSite ?? DEFAULT_BUDGET[budgetKey], ofSite ?? Infinity);
  if (limit !== ofSite)
    return {
      limit,
      setBy: own === undefined ? "the default" : "set by section.config.js",
      raise: (needed) => `set budget.${budgetKey} to ${String(needed)} in section.config.js.`,
    };
  if (!buildTarget)
    return {
      limit,
      setBy: "the default",
      raise: () => "pass --site with the URL of the site that you deploy to, if it allows more.",
    };
  const [table, key] =
    ofPoint === undefined ? [`budget.sections.${name}`, siteKey] : [`extension_points."${id}"`, "max_script_kib"];
  return {
    limit,
    setBy: `set by ${buildTarget.source}`,
    raise: (needed) => `ask its operator for \`${key} = ${String(needed)}\` in \`[${table}]\` of site.toml.`,
  };
}

/** Warns of a budget of the section that is larger than that of the site, and so has no effect. */
export function findIneffective({
  config: { name, budget },
  buildTarget,
}: Pick<BuildContext, "config" | "buildTarget">): Problem[] {
  return KINDS.flatMap(({ budgetKey, siteKey }) => {
    const [own, ofSite] = [budget?.[budgetKey], buildTarget?.[budgetKey]];
    if (!buildTarget || own === undefined || ofSite === undefined || own <= ofSite) return [];
    const message = `budget.${budgetKey} is ${String(own)} in section.config.js, but ${buildTarget.source} allows ${String(ofSite)} KiB`;
    const advice = `Lower it, or ask the operator for \`${siteKey} = ${String(own)}\` in \`[budget.sections.${name}]\` of site.toml.`;
    return [{ ...problemOf("COL140", message, "section.config.js", advice), severity: "warning" }];
  });
}

/** Returns the size of a file of a release folder, compressed with Brotli. Reads each file once. */
export function transferSizes(
  output: string,
  quality = constants.BROTLI_MAX_QUALITY,
): (file: string) => Promise<number> {
  const sizes = new Map<string, Promise<number>>();
  return (file) => {
    const size = sizes.get(file) ?? transferSize(path.join(output, file), quality);
    sizes.set(file, size);
    return size;
  };
}

async function transferSize(file: string, quality: number): Promise<number> {
  const bytes = await readFile(file);
  const compressed = await compress(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: quality } });
  return Math.min(bytes.length, compressed.length);
}

/**
 * The bytes of each part that files of these sizes contain. A module's share of its file is proportional to the size of its source.
 * Modules whose part is undefined are left out. Without a compilation, the files are the parts.
 */
export function partSizes(
  files: readonly (readonly [file: string, size: number])[],
  client: Compilation | undefined,
  nameOf: (module: Module) => string | undefined,
): Map<string, number> {
  if (!client) return new Map(files.map(([file, size]) => [path.posix.relative("client", file), size]));
  const totals = new Map<string, number>();
  for (const [file, size] of files) {
    const modules = modulesOf(client, file);
    const all = modules.reduce((sum, module) => sum + module.size(), 0);
    for (const module of modules) {
      const name = nameOf(module);
      if (name !== undefined) totals.set(name, (totals.get(name) ?? 0) + (size * module.size()) / all);
    }
  }
  return totals;
}

/** Lists the parts with the most bytes. */
export function largest(sizes: ReadonlyMap<string, number>): string {
  return [...sizes]
    .sort(([, a], [, b]) => b - a)
    .slice(0, MAX_PARTS)
    .map(([name, size]) => `${name} ${kib(size)}`)
    .join(", ");
}

function modulesOf(compilation: Compilation, file: string): Module[] {
  const name = path.posix.relative("client", file);
  // Data such as JSON are modules of other types, but scripts.
  const type = name.endsWith(".css") ? "css/mini-extract" : "javascript";
  const chunks = [...compilation.chunks].filter(({ files }) => files.has(name));
  return chunks
    .flatMap((chunk) => compilation.chunkGraph.getChunkModules(chunk))
    .flatMap((module) => (module as { readonly modules?: readonly Module[] }).modules ?? [module])
    .filter((module) => module.getSourceTypes().has(type));
}

/** The npm package of a module, or the path of a module of the section. */
export function partOf(folder: string, module: Module): string {
  const file = module.nameForCondition() ?? "";
  const name = packageName(file);
  if (name !== undefined) return name;
  if (file === "") return "webpack";
  return path.relative(folder, isOwnSource(folder, file) ? file : path.dirname(file));
}

/** A size for people. */
export function kib(bytes: number): string {
  return `${(bytes / 1024).toFixed(1)} KiB`;
}
