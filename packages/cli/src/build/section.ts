import { readFile } from "node:fs/promises";
import path from "node:path";

import { findOversizedViews } from "../check/budget.js";
import { check, type DeclaredParts } from "../check/check.js";
import { CheckError, errorsIn, warningsIn } from "../check/problem.js";
import { CONTRACT } from "@colonnade/kit/contract";
import { clientFiles, consumedRanges, usedExports } from "./assets.js";
import type { ClientFiles } from "./clientFiles.js";
import { runBuildCommand } from "./buildCommand.js";
import { ownBuild, type BuildCommand } from "./commandConfig.js";
import type { Built, OnStep } from "./built.js";
import { combineErrors } from "./compile.js";
import { compilePackage, type CompiledPackage, type Identify } from "./compilePackage.js";
import type { BuildContext } from "./context.js";
import { writeDeclarations } from "./declarations.js";
import { readEntry, type EntryImports } from "./entry.js";
import { writeExamples } from "./examples.js";
import { writeExtensionList } from "./extensionList.js";
import { exposedChunk, SECTION_MODULE } from "./exposes.js";
import { writeFederationManifest } from "./federationManifest.js";
import { listFiles, type Release, type ReleaseExtension } from "./release.js";
import { SECTION_MODULES } from "./server.js";
import { neededRanges } from "./shared.js";
import { compileWithSite } from "./sharing.js";
import { moveSourceMaps } from "./sourceMaps.js";
import { SECTION_CHUNK, serverConfiguration } from "./webpack.js";

/** The global variable with the Module Federation runtime of the shell. */
export const FEDERATION_RUNTIME = "_FEDERATION_RUNTIME_CORE";

/** The files of a section, of webpack or of the section's own command. */
interface CompiledSection extends Pick<CompiledPackage, "context" | "outside"> {
  readonly client: ClientFiles;
}

async function compileSection(context: BuildContext, identify: Identify, onStep: OnStep): Promise<CompiledSection> {
  const { client: compilation, ...compiled } = await compileWithSite(context, (each) =>
    compilePackage(each, serverConfiguration(each), identify),
  );
  // The rest of the check, if it takes longer than the compilation.
  onStep("check");
  return { ...compiled, client: clientFiles(context, compilation) };
}

// The configuration lists the files outside of the package that a command reads.
async function runCommand(given: BuildContext, command: BuildCommand, identify: Identify): Promise<CompiledSection> {
  const context = { ...given, identity: await identify([]) };
  const written = await runBuildCommand(context, command);
  return { context: { ...context, written }, client: written, outside: [] };
}

/**
 * Builds a section into the output folder, and checks its pages.
 *
 * @throws UsageError if the section does not compile or breaks a rule.
 */
export async function buildSection(provisional: BuildContext, identify: Identify, onStep: OnStep): Promise<Built> {
  const { folder, output, config } = provisional;
  const own = ownBuild(config);
  const written = own && (await runCommand(provisional, own, identify));
  // The check runs the pages in other processes, so it can overlap with the compilation.
  const [compiled, checked] = await Promise.allSettled([
    written ?? compileSection(provisional, identify, onStep),
    check(written?.context ?? provisional),
  ]);
  if (compiled.status === "rejected")
    // The check's compilation has source maps, so its errors have positions.
    throw checked.status === "rejected" ? combineErrors(checked.reason, compiled.reason) : compiled.reason;
  if (checked.status === "rejected") throw checked.reason;
  const { problems: found, declared } = checked.value;
  if (!declared) throw new CheckError(config.name, found, folder);
  const imports = await readEntry(path.resolve(folder, config.entry));
  const { context, client, outside } = compiled.value;
  await moveSourceMaps(context);
  const untyped = await writeDeclarations(folder, config.exposes ?? {}, path.join(output, "client"));
  const release = await sectionRelease(context, client, imports, declared);
  const problems = [...found, ...(await findOversizedViews(context, client, release))];
  if (errorsIn(problems).length > 0) throw new CheckError(config.name, problems, folder);
  return {
    release,
    identity: context.identity,
    outside,
    warnings: [...warningsIn(problems), ...untyped],
  };
}

/** Returns the manifest of a section with these files for browsers. `declared` is what the check found. */
export async function sectionRelease(
  context: BuildContext,
  { entry, assets: { common, assetsOf, sharedOf, moduleFiles }, compilation }: ClientFiles,
  imports: EntryImports,
  { pages, points, orders, examples }: DeclaredParts,
): Promise<Release> {
  const { output, config, identity, installed } = context;
  const shared = compilation ? consumedRanges(compilation, context.siteRanges) : {};
  const filesOf = (request: string, name: string): Pick<ReleaseExtension, "assets" | "shared"> => {
    const packages = sharedOf(request).filter((each) => Object.hasOwn(shared, each));
    return { assets: assetsOf(request, name), ...(packages.length > 0 && { shared: packages }) };
  };
  const exposes = Object.keys(config.exposes ?? {}).map((name) => ({ name, files: moduleFiles(exposedChunk(name)) }));
  const { first, later } = moduleFiles(SECTION_CHUNK);
  const section = { first: common, later: [...first.filter((file) => !common.includes(file)), ...later] };
  const modules = [{ name: SECTION_MODULE, files: section }, ...exposes];
  await writeFederationManifest(context, entry, new Map(modules.map(({ name, files }) => [name, files])));
  const extensions = [...imports.extensions].map(([point, request]) => ({
    point,
    order: orders.get(point) ?? 0,
    ...filesOf(request, point),
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
      ...filesOf(request, pattern),
      paths: [],
      ...pages.get(pattern),
    })),
    ...(points.length > 0 && { extensionPoints: points }),
    ...(extensions.length > 0 && { extensions }),
    ...(imports.navigation.length > 0 && { navigation: imports.navigation }),
    ...(exposes.length > 0 && { exposes: exposes.map(({ name, files }) => ({ name, assets: files.first })) }),
    shared: { ...neededRanges(installed), ...shared },
    ...(compilation &&
      Object.keys(shared).length > 0 && { usedExports: usedExports(compilation, Object.keys(shared)) }),
    ...(config.facts && { facts: config.facts }),
    ...(config.config && { config: config.config }),
    ...(config.policy && { policy: config.policy }),
    modules: SECTION_MODULES,
    ...(examplesFile !== undefined && { examples: examplesFile }),
    files: await listFiles(output),
  };
}
