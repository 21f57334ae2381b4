import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";

import type { Compilation } from "webpack";

import { findOversizedViews } from "../check/budget.js";
import { check, type CheckResult } from "../check/check.js";
import { CheckError, errorsIn, warningsIn } from "../check/problem.js";
import { CONTRACT } from "../section.js";
import { filesOf, sectionAssets } from "./assets.js";
import { compile } from "./compile.js";
import { loadConfig, UsageError, type SectionConfig } from "./config.js";
import type { BuildContext } from "./context.js";
import { buildDevelopmentShell } from "./developmentShell.js";
import { readEntry, type EntryImports } from "./entry.js";
import { copyImages } from "./images.js";
import { readInputs, writeInputs } from "./inputs.js";
import { compiledFiles, configurationFiles } from "./outside.js";
import { listFiles, type Release } from "./release.js";
import { SECTION_MODULES, shellServerEntry, writeSharedModules } from "./server.js";
import { installedVersions, neededRanges } from "./shared.js";
import { identify, type BuildMode } from "./version.js";
import { clientConfiguration, SHELL_LIBRARIES, serverConfiguration, shellServerConfiguration } from "./webpack.js";

/** Name of the folder, within a package, that contains its release. */
export const RELEASE_FOLDER = "release";

/** Result of {@link build}. */
export interface BuildResult {
  /** The contents of `release.json`. */
  readonly release: Release;
  /** False if the folder already contained a release of the same inputs. */
  readonly built: boolean;
  /** The problems that the check found and that do not fail the build. */
  readonly warnings: readonly string[];
}

/** A built release, the files that the build read, and its warnings. */
interface Built {
  readonly release: Release;
  /** The files outside of the package that webpack read. */
  readonly outside: readonly string[];
  readonly warnings: readonly string[];
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
  const target = path.join(folder, RELEASE_FOLDER);
  const earlier = await readRelease(target).catch(() => undefined);
  const output = `${target}.building`;
  const configuration = await configurationFiles(folder);
  // The version depends on the files outside of the package that the build reads, which are known only after the build. Most
  // builds read the same files as the previous build. Otherwise the package is built again, with the correct version.
  let outside = merged(configuration, (await readInputs(target))?.outside);
  for (;;) {
    const identity = await identify(folder, config, mode, outside);
    // A development version contains a hash of its inputs; a final version does not, so it is always built.
    if (!mode.final && earlier?.version === identity.version) return { release: earlier, built: false, warnings: [] };
    await rm(output, { recursive: true, force: true });
    await mkdir(output, { recursive: true });
    const context = { folder, output, config, identity, installed: installedVersions(folder), mode };
    onStep("client bundle");
    const built = config.kind === "shell" ? await buildShell(context, onStep) : await buildSection(context, onStep);
    const read = merged(configuration, built.outside);
    const isVersionCorrect = read.join("\0") === outside.join("\0");
    outside = read;
    if (!isVersionCorrect) continue;
    await writeFile(path.join(output, "release.json"), `${JSON.stringify(built.release, null, 2)}\n`);
    await writeInputs(output, identity, mode, outside);
    await rm(target, { recursive: true, force: true });
    await rename(output, target);
    return { release: built.release, built: true, warnings: built.warnings };
  }
}

function merged(files: readonly string[], others: readonly string[] = []): string[] {
  return [...new Set([...files, ...others])].sort();
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

interface CompiledSection {
  readonly client: Compilation;
  readonly server: Compilation;
}

async function compileSection(context: BuildContext, onStep: OnStep): Promise<CompiledSection> {
  const client = await compile(clientConfiguration(context));
  onStep("server bundle");
  const server = await compile(serverConfiguration(context));
  // The rest of the check, if it takes longer than the compilation.
  onStep("check");
  return { client, server };
}

async function buildSection(context: BuildContext, onStep: OnStep): Promise<Built> {
  const { folder, config } = context;
  const imports = await readEntry(path.resolve(folder, config.entry));
  // The check runs the pages in processes of their own, so it can overlap with the compilation.
  const [compiled, checked] = await Promise.allSettled([compileSection(context, onStep), check(context)]);
  if (compiled.status === "rejected") throw compiled.reason;
  if (checked.status === "rejected") throw checked.reason;
  const { client, server } = compiled.value;
  const { paths } = checked.value;
  const release = await sectionRelease(context, client, imports, paths);
  const problems = [...checked.value.problems, ...(await findOversizedViews(context, client, release))];
  if (errorsIn(problems).length > 0) throw new CheckError(config.name, problems);
  return { release, outside: await compiledFiles(folder, client, server), warnings: warningsIn(problems) };
}

/** Returns the manifest of a section whose client files are compiled. `paths` are the listed paths of each page. */
export async function sectionRelease(
  { folder, output, config, identity, installed }: BuildContext,
  client: Compilation,
  imports: EntryImports,
  paths: CheckResult["paths"],
): Promise<Release> {
  const { common, assetsOf } = sectionAssets(client, path.resolve(folder, config.entry));
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
    shared: neededRanges(installed),
    modules: SECTION_MODULES,
    files: await listFiles(output),
  };
}

async function buildShell(context: BuildContext, onStep: OnStep): Promise<Built> {
  const { folder, output, config, identity, installed } = context;
  const client = await compile(clientConfiguration(context));
  onStep("server bundle");
  const server = await buildShellServer(context);
  if (config.server !== undefined && !context.mode.development) {
    onStep("development variant");
    await buildDevelopmentShell(context, path.resolve(folder, config.server));
  }
  const main = filesOf(client, (group) => group.name === "main");
  const images = await copyImages(folder, output, config);
  const files = await listFiles(output);
  const icon = config.icon && path.parse(config.icon).name;
  const iconFile = files.find((file) => icon && path.basename(file.path).startsWith(`${icon}.`));
  if (icon && !iconFile)
    throw new UsageError(`the icon ${config.icon ?? ""} is not part of the build; import it in the entry module`);
  const release: Release = {
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
    modules: server ? await writeSharedModules(folder, output) : {},
    files: [],
  };
  const compilations = server ? [client, server] : [client];
  return {
    release: { ...release, files: await listFiles(output) },
    outside: await compiledFiles(folder, ...compilations),
    warnings: [],
  };
}

async function buildShellServer(context: BuildContext): Promise<Compilation | undefined> {
  const { folder, config } = context;
  if (config.server === undefined) return undefined;
  const source = shellServerEntry(path.resolve(folder, config.server));
  return compile(shellServerConfiguration(context, source));
}

function singleFile(files: string[]): string {
  const [file, ...others] = files;
  if (file === undefined || others.length > 0)
    throw new Error(`expected one entry script, found ${String(files.length)}: ${files.join(", ")}`);
  return file;
}
