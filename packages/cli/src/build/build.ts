import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";

import type { Built, OnStep } from "./built.js";
import { loadConfig, UsageError, type SectionConfig } from "./config.js";
import type { BuildContext } from "./context.js";
import { readInputs, writeInputs } from "./inputs.js";
import { configurationFiles } from "./outside.js";
import { readRelease, RELEASE_FOLDER, type Release } from "./release.js";
import { installedVersions } from "./shared.js";
import { identify, type BuildMode } from "./version.js";

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
    const built = await buildPackage(context, onStep);
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

// Loading webpack takes longer than most commands, and many callers of this module never build.
async function buildPackage(context: BuildContext, onStep: OnStep): Promise<Built> {
  if (context.config.kind === "shell") return (await import("./shell.js")).buildShell(context, onStep);
  return (await import("./section.js")).buildSection(context, onStep);
}

function merged(files: readonly string[], others: readonly string[] = []): string[] {
  return [...new Set([...files, ...others])].sort();
}

function checkDevelopment({ name, kind }: SectionConfig, { final }: BuildMode): void {
  if (kind !== "shell") throw new UsageError(`${name} is a section; only the shell can be built with --development`);
  if (final) throw new UsageError("--final and --development cannot be combined; pass one of them");
}
