import { readFile } from "node:fs/promises";
import path from "node:path";

import type { Compilation } from "webpack";

import { findOversizedViews } from "../check/budget.js";
import { check, type DeclaredParts } from "../check/check.js";
import { CheckError, errorsIn, warningsIn } from "../check/problem.js";
import { CONTRACT } from "@colonnade/kit/contract";
import { sectionAssets, singleFile, type ClientFiles } from "./assets.js";
import { runBuildCommand } from "./buildCommand.js";
import type { Built, OnStep } from "./built.js";
import { combineErrors, compile } from "./compile.js";
import type { BuildContext } from "./context.js";
import { writeDeclarations } from "./declarations.js";
import { readEntry, type EntryImports } from "./entry.js";
import { writeExamples } from "./examples.js";
import { writeExtensionList } from "./extensionList.js";
import { exposedChunk, SECTION_MODULE } from "./exposes.js";
import { writeFederationManifest } from "./federationManifest.js";
import { compiledFiles } from "./outside.js";
import { listFiles, type Release } from "./release.js";
import { SECTION_MODULES } from "./server.js";
import { neededRanges } from "./shared.js";
import { clientConfiguration, SECTION_CHUNK, serverConfiguration } from "./webpack.js";

/** The global variable with the Module Federation runtime of the shell. */
export const FEDERATION_RUNTIME = "_FEDERATION_RUNTIME_CORE";

/** Compiles a section's files for browsers into the output folder. */
export async function compileClient(
  context: BuildContext,
): Promise<ClientFiles & { readonly compilation: Compilation }> {
  const { folder, config } = context;
  const compilation = await compile(clientConfiguration(context), context);
  const scripts = Object.keys(compilation.assets).filter((file) => /^entry\.[0-9a-f]+\.js$/.test(file));
  const assets = sectionAssets(compilation, path.resolve(folder, config.entry));
  return { entry: `client/${singleFile(scripts)}`, assets, compilation };
}

async function compileSection(context: BuildContext, onStep: OnStep): Promise<ClientFiles & Pick<Built, "outside">> {
  const client = await compileClient(context);
  onStep("server bundle");
  const server = await compile(serverConfiguration(context), context);
  // The rest of the check, if it takes longer than the compilation.
  onStep("check");
  return { ...client, outside: await compiledFiles(context.folder, client.compilation, server) };
}

/**
 * Builds a section into the output folder, and checks its pages.
 *
 * @throws UsageError if the section does not compile or breaks a rule.
 */
export async function buildSection(given: BuildContext, onStep: OnStep): Promise<Built> {
  const { folder, output, config } = given;
  const written = config.build && (await runBuildCommand(given, config.build));
  const context = { ...given, written };
  const compiling = written ? { ...written, outside: [] } : compileSection(context, onStep);
  // The check runs the pages in other processes, so it can overlap with the compilation.
  const [compiled, checked] = await Promise.allSettled([compiling, check(context)]);
  if (compiled.status === "rejected")
    // The check's compilation has source maps, so its errors have positions.
    throw checked.status === "rejected" ? combineErrors(checked.reason, compiled.reason) : compiled.reason;
  if (checked.status === "rejected") throw checked.reason;
  const { problems: found, declared } = checked.value;
  if (!declared) throw new CheckError(config.name, found, folder);
  const imports = await readEntry(path.resolve(folder, config.entry));
  const client = compiled.value;
  const untyped = await writeDeclarations(folder, config.exposes ?? {}, path.join(output, "client"));
  const release = await sectionRelease(context, client, imports, declared);
  const problems = [...found, ...(await findOversizedViews(context, client.compilation, release))];
  if (errorsIn(problems).length > 0) throw new CheckError(config.name, problems, folder);
  return {
    release,
    outside: client.outside,
    warnings: [...warningsIn(problems), ...untyped],
  };
}

/** Returns the manifest of a section with these files for browsers. `declared` is what the check found. */
export async function sectionRelease(
  context: BuildContext,
  { entry, assets: { common, assetsOf, moduleFiles } }: ClientFiles,
  imports: EntryImports,
  { pages, points, orders, examples }: DeclaredParts,
): Promise<Release> {
  const { output, config, identity, installed } = context;
  const exposes = Object.keys(config.exposes ?? {}).map((name) => ({ name, files: moduleFiles(exposedChunk(name)) }));
  const { first, later } = moduleFiles(SECTION_CHUNK);
  const section = { first: common, later: [...first.filter((file) => !common.includes(file)), ...later] };
  const modules = [{ name: SECTION_MODULE, files: section }, ...exposes];
  await writeFederationManifest(context, entry, new Map(modules.map(({ name, files }) => [name, files])));
  const extensions = [...imports.extensions].map(([point, request]) => ({
    point,
    order: orders.get(point) ?? 0,
    assets: assetsOf(request, point),
  }));
  await writeExtensionList(output, { extensionPoints: points, extensions });
  const examplesFile = await writeExamples(output, examples);
  return {
    name: config.name,
    version: identity.version,
    kind: "section",
    contract: CONTRACT,
    entry,
    container: identity.container,
    // True with `federation: "enhanced"`.
    needsFederationRuntime: (await readFile(path.join(output, entry), "utf8")).includes(FEDERATION_RUNTIME),
    styles: [],
    assets: common,
    pages: [...imports.pages].map(([pattern, request]) => ({
      pattern,
      assets: assetsOf(request, pattern),
      paths: [],
      ...pages.get(pattern),
    })),
    ...(points.length > 0 && { extensionPoints: points }),
    ...(extensions.length > 0 && { extensions }),
    ...(imports.navigation.length > 0 && { navigation: imports.navigation }),
    ...(exposes.length > 0 && { exposes: exposes.map(({ name, files }) => ({ name, assets: files.first })) }),
    shared: neededRanges(installed),
    ...(config.facts && { facts: config.facts }),
    ...(config.config && { config: config.config }),
    ...(config.policy && { policy: config.policy }),
    modules: SECTION_MODULES,
    ...(examplesFile !== undefined && { examples: examplesFile }),
    files: await listFiles(output),
  };
}
