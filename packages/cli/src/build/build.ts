import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";

import type { Adopted } from "../adopt/adopt.js";
import type { Built, OnStep } from "./built.js";
import { commandInputs } from "./buildCommand.js";
import { ownBuild } from "./commandConfig.js";
import { loadConfig, UsageError, type SectionConfig } from "./config.js";
import type { Identify } from "./compilePackage.js";
import type { BuildContext } from "./context.js";
import { readInputs, writeInputs } from "./inputs.js";
import { configurationFiles } from "./outside.js";
import { readRelease, RELEASE_FOLDER, type Release } from "./release.js";
import { installedVersions, omitsOf, siteRanges, withParser } from "./shared.js";
import type { BuildTarget } from "./buildTarget.js";
import { identify, identityWith, UNKNOWN_INPUTS, type BuildMode } from "./version.js";

/** Result of {@link build}. */
export interface BuildResult {
  /** The contents of `release.json`. */
  readonly release: Release;
  /** False if the folder already contained a release of the same inputs. */
  readonly built: boolean;
  /** The problems that the check found and that do not fail the build. */
  readonly warnings: readonly string[];
}

/**
 * Builds the package in `folder` into its `release/`. The release folder is replaced only after a successful build; a failed
 * build leaves the previous release. `buildTarget` is what the site allows the package and shares with it, if it is known.
 *
 * @throws UsageError if the package is invalid or does not compile.
 */
export async function build(
  folder: string,
  requested: BuildMode,
  onStep: OnStep = () => undefined,
  buildTarget?: BuildTarget,
): Promise<BuildResult> {
  const ownConfig = await loadConfig(folder);
  if (requested.development) checkDevelopment(ownConfig, requested);
  const { accepted } = siteRanges(folder, ownConfig, buildTarget?.shared);
  const shared = Object.keys(accepted).map((name) => [name, ...(buildTarget?.omittedExports?.[name] ?? [])].join(" -"));
  const mode = { ...requested, shared };
  const target = path.join(folder, RELEASE_FOLDER);
  const earlier = await readRelease(target).catch(() => undefined);
  const output = `${target}.building`;
  const adopted = await adoptedRemote(folder, ownConfig);
  const config = adopted?.config ?? ownConfig;
  const own = ownBuild(config);
  const read = own ? await commandInputs(folder, own) : adopted?.inputs;
  const configuration = merged(await configurationFiles(folder), read);
  // The version depends on the files outside of the package that the build reads. Most builds read the same files as the previous.
  const last = await readInputs(target);
  // Another budget changes nothing in the release, but whether it can be published.
  const hasSameTarget = limitsOf(last?.buildTarget) === limitsOf(buildTarget);
  const identityOf = (outside: readonly string[] = []) =>
    identify(folder, config, mode, merged(configuration, outside));
  // A development version contains a hash of its inputs; a final version does not, so it is always built.
  if (!mode.final && hasSameTarget && earlier?.version === (await identityOf(last?.outside)).version)
    return { release: earlier, built: false, warnings: [] };
  await rm(output, { recursive: true, force: true });
  await mkdir(output, { recursive: true });
  const identity = await identityWith(folder, config, mode, UNKNOWN_INPUTS);
  const installed = installedVersions(folder, [...omitsOf(config.shared).keys()]);
  const ranges = withParser(accepted, installed);
  const context = { folder, output, config, identity, installed, siteRanges: ranges, mode, buildTarget };
  onStep(own?.command ?? "bundles");
  const built = await buildPackage(context, identityOf, onStep);
  const release = adopted?.complete(built.release) ?? built.release;
  await writeFile(path.join(output, "release.json"), `${JSON.stringify(release, null, 2)}\n`);
  await writeInputs(output, built.identity, mode, merged(configuration, built.outside), buildTarget);
  await rm(target, { recursive: true, force: true });
  await rename(output, target);
  return { release, built: true, warnings: built.warnings };
}

/** What the remote of a section adds to its build. Undefined if it has none. */
async function adoptedRemote(folder: string, config: SectionConfig): Promise<Adopted | undefined> {
  const { build: own } = config;
  return own && "remote" in own ? (await import("../adopt/adopt.js")).adopt(folder, own, config) : undefined;
}

// Loading webpack takes longer than most commands, and many callers of this module never build.
async function buildPackage(context: BuildContext, identify: Identify, onStep: OnStep): Promise<Built> {
  if (context.config.kind === "shell") return (await import("./shell.js")).buildShell(context, identify, onStep);
  return (await import("./section.js")).buildSection(context, identify, onStep);
}

/** The limits and shared packages of a build target as text. Another source of the same ones needs no new build. */
function limitsOf(target: BuildTarget | undefined): string {
  return JSON.stringify({ ...target, source: undefined });
}

function merged(files: readonly string[], others: readonly string[] = []): string[] {
  return [...new Set([...files, ...others])].sort();
}

function checkDevelopment({ name, kind }: SectionConfig, { final }: BuildMode): void {
  if (kind !== "shell") throw new UsageError(`${name} is a section; only the shell can be built with --development`);
  if (final) throw new UsageError("--final and --development cannot be combined; pass one of them");
}
