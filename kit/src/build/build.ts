import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";

import type { Compilation } from "webpack";

import { check } from "../check/check.js";
import { CheckError } from "../check/problem.js";
import { CONTRACT } from "../section.js";
import { compile } from "./compile.js";
import { loadConfig, UsageError, type SectionConfig } from "./config.js";
import type { BuildContext } from "./context.js";
import { readEntry } from "./entry.js";
import { copyImages } from "./images.js";
import { writeInputs } from "./inputs.js";
import { listFiles, type Release } from "./release.js";
import { SECTION_MODULES, shellServerEntry, writeSharedModules, type ServerModules } from "./server.js";
import { installedVersions, neededRanges } from "./shared.js";
import { identify, type BuildMode } from "./version.js";
import {
  clientConfiguration,
  SECTION_CHUNK,
  SHELL_LIBRARIES,
  serverConfiguration,
  shellServerConfiguration,
} from "./webpack.js";

/** Name of the folder, within a package, that contains its release. */
export const RELEASE_FOLDER = "release";

/** Result of {@link build}. */
export interface BuildResult {
  /** The contents of `release.json`. */
  readonly release: Release;
  /** False if the folder already contained a release of the same inputs. */
  readonly built: boolean;
}

/** Called when a step of a build begins, such as "client bundle". It is not called before the package is known to be valid. */
export type OnStep = (step: string) => void;

/**
 * Builds the package in `folder` into its `release/`. The release folder is replaced only after a successful build; a failed
 * build leaves the previous release.
 *
 * @throws UsageError if the package is invalid or does not compile.
 */
export async function build(folder: string, mode: BuildMode, onStep: OnStep = () => undefined): Promise<BuildResult> {
  const config = await loadConfig(folder);
  if (mode.development) checkDevelopment(config, mode);
  const identity = await identify(folder, config, mode);
  const target = path.join(folder, RELEASE_FOLDER);
  const present = await readRelease(target).catch(() => undefined);
  // A development version contains a hash of its inputs; a final version does not, so it is always built.
  if (!mode.final && present?.version === identity.version) return { release: present, built: false };
  const output = `${target}.building`;
  await rm(output, { recursive: true, force: true });
  await mkdir(output, { recursive: true });
  const context = { folder, output, config, identity, installed: installedVersions(folder), mode };
  onStep("client bundle");
  const release = config.kind === "shell" ? await buildShell(context, onStep) : await buildSection(context, onStep);
  await writeFile(path.join(output, "release.json"), `${JSON.stringify(release, null, 2)}\n`);
  await writeInputs(output, identity, mode);
  await rm(target, { recursive: true, force: true });
  await rename(output, target);
  return { release, built: true };
}

function checkDevelopment({ name, kind }: SectionConfig, { final }: BuildMode): void {
  if (kind !== "shell") throw new UsageError(`${name} is a section; only the shell can be built with --development`);
  if (final) throw new UsageError("--final and --development cannot be combined; pass one of them");
}

/**
 * Reads `release.json` from a release folder.
 *
 * @throws UsageError if the folder contains no release.
 */
export async function readRelease(folder: string): Promise<Release> {
  const text = await readFile(path.join(folder, "release.json"), "utf8").catch(() => {
    throw new UsageError(`${folder} contains no release; run \`section build\` first`);
  });
  return JSON.parse(text) as Release;
}

async function compileSection(context: BuildContext, onStep: OnStep): Promise<Compilation> {
  const client = await compile(clientConfiguration(context));
  onStep("server bundle");
  await compile(serverConfiguration(context));
  // The rest of the check, if it takes longer than the compilation.
  onStep("check");
  return client;
}

async function buildSection(context: BuildContext, onStep: OnStep): Promise<Release> {
  const { folder, output, config, identity } = context;
  const entry = path.resolve(folder, config.entry);
  const imports = await readEntry(entry);
  // The check runs the pages in processes of their own, so it can overlap with the compilation.
  const [compiled, checked] = await Promise.allSettled([compileSection(context, onStep), check(context)]);
  if (compiled.status === "rejected") throw compiled.reason;
  if (checked.status === "rejected") throw checked.reason;
  const client = compiled.value;
  const { problems, paths } = checked.value;
  if (problems.length > 0) throw new CheckError(config.name, problems);
  const common = filesOf(client, (group) => group.name === SECTION_CHUNK);
  const assetsOf = (request: string): string[] => {
    const groups = client.chunkGroups.filter((group) =>
      group.origins.some((origin) => origin.request === request && isEntry(origin.module, entry)),
    );
    // The server renders `lazy` components, so their styles belong to the first view. Their scripts do not.
    const styles = filesIn(descendantsOf(groups)).filter((file) => file.endsWith(".css"));
    return [...new Set([...filesIn(groups), ...styles])].filter((file) => !common.includes(file));
  };
  return {
    name: config.name,
    version: identity.version,
    kind: "section",
    contract: CONTRACT,
    entry: `client/${singleFile(Object.keys(client.assets).filter((file) => /^entry\.[0-9a-f]+\.js$/.test(file)))}`,
    container: identity.container,
    styles: [],
    assets: common,
    pages: [...imports.pages].map(([pattern, request]) => ({
      pattern,
      assets: assetsOf(request),
      paths: paths.get(pattern) ?? [],
    })),
    slots: [...imports.slots].map(([name, request]) => ({ name, assets: assetsOf(request) })),
    shared: neededRanges(context.installed),
    modules: SECTION_MODULES,
    files: await listFiles(output),
  };
}

async function buildShell(context: BuildContext, onStep: OnStep): Promise<Release> {
  const { folder, output, config, identity, installed } = context;
  const client = await compile(clientConfiguration(context));
  onStep("server bundle");
  const modules = await buildShellServer(context);
  const main = filesOf(client, (group) => group.name === "main");
  const images = await copyImages(folder, output, config);
  const files = await listFiles(output);
  const icon = config.icon && path.parse(config.icon).name;
  const iconFile = files.find((file) => icon && path.basename(file.path).startsWith(`${icon}.`));
  if (icon && !iconFile)
    throw new UsageError(`the icon ${config.icon ?? ""} is not part of the build; import it in the entry module`);
  return {
    name: config.name,
    version: identity.version,
    kind: "shell",
    contract: CONTRACT,
    entry: singleFile(main.filter((file) => file.endsWith(".js"))),
    styles: main.filter((file) => file.endsWith(".css")),
    assets: SHELL_LIBRARIES.flatMap((name) => filesOf(client, (group) => group.name === name)),
    pages: [],
    slots: [],
    shared: installed,
    ...(iconFile && { icon: iconFile.path }),
    ...images,
    modules,
    files,
  };
}

async function buildShellServer({ folder, output, config, ...context }: BuildContext): Promise<ServerModules> {
  if (config.server === undefined) return {};
  const source = shellServerEntry(path.resolve(folder, config.server));
  await compile(shellServerConfiguration({ folder, output, config, ...context }, source));
  return writeSharedModules(folder, output);
}

type ChunkGroup = Compilation["chunkGroups"][number];

function filesOf(compilation: Compilation, predicate: (group: ChunkGroup) => boolean): string[] {
  return filesIn(compilation.chunkGroups.filter(predicate));
}

function filesIn(groups: readonly ChunkGroup[]): string[] {
  return [...new Set(groups.flatMap((group) => group.getFiles()))].map((file) => `client/${file}`);
}

/** The chunk groups that these import dynamically, directly or through others. */
function descendantsOf(groups: readonly ChunkGroup[]): ChunkGroup[] {
  const found = new Set<ChunkGroup>();
  const visit = (group: ChunkGroup): void => {
    for (const child of group.getChildren()) {
      if (found.has(child)) continue;
      found.add(child);
      visit(child);
    }
  };
  groups.forEach(visit);
  return [...found];
}

function isEntry(module: unknown, entry: string): boolean {
  return (module as { resource?: string } | null)?.resource === entry;
}

function singleFile(files: string[]): string {
  const [file, ...others] = files;
  if (file === undefined || others.length > 0)
    throw new Error(`expected one entry script, found ${String(files.length)}: ${files.join(", ")}`);
  return file;
}
