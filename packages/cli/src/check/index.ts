import path from "node:path";

import type { Compilation } from "webpack";

import { loadAdopted } from "../adopt/adopt.js";
import { clientFiles } from "../build/assets.js";
import type { ClientFiles } from "../build/clientFiles.js";
import { runBuildCommand } from "../build/buildCommand.js";
import { ownBuild } from "../build/commandConfig.js";
import { compile } from "../build/compile.js";
import type { BuildContext } from "../build/context.js";
import { sectionRelease } from "../build/section.js";
import { readEntry } from "../build/entry.js";
import { installedVersions, omitsOf, siteRanges, withParser } from "../build/shared.js";
import { compileWithSite, type Lacking } from "../build/sharing.js";
import type { BuildTarget } from "../build/buildTarget.js";
import { inTemporaryFolder } from "../build/temporaryFolder.js";
import { identify } from "../build/version.js";
import { clientConfiguration } from "../build/webpack.js";
import { findOversizedViews } from "./budget.js";
import { check, type CheckedAgainst } from "./check.js";
import type { Problem } from "./problem.js";
import { findSharing, type Sharing } from "./sharing.js";
import { checkShell } from "./shell.js";

/**
 * Checks the section or shell in `folder` without building a release. `buildTarget` is what the site allows the package and shares with it, if it is known.
 *
 * @throws UsageError if the package is invalid or does not compile.
 */
export async function checkSection(
  folder: string,
  against: CheckedAgainst = {},
  buildTarget?: BuildTarget,
): Promise<{ readonly name: string; readonly problems: readonly Problem[]; readonly sharing?: Sharing }> {
  const config = await loadAdopted(folder);
  const mode = { final: false };
  const identity = await identify(folder, config, mode);
  return inTemporaryFolder(async (output) => {
    const installed = installedVersions(folder, [...omitsOf(config.shared).keys()]);
    const ofSite = siteRanges(folder, config, buildTarget?.shared);
    const ranges = withParser(ofSite.accepted, installed);
    const context = { folder, output, config, identity, installed, siteRanges: ranges, mode, buildTarget };
    if (config.kind === "shell") return { name: config.name, problems: (await checkShell(context, against)).problems };
    const own = ownBuild(config);
    const written = own && (await runBuildCommand(context, own));
    const { problems, declared } = await check({ ...context, written }, against);
    if (!declared) return { name: config.name, problems };
    const client: ClientFiles & Partial<Lacking> = written ?? (await compileWithSite(context, compileClient));
    const imports = await readEntry(path.resolve(folder, config.entry));
    const release = await sectionRelease(context, client, imports, declared);
    const oversized = await findOversizedViews(context, client, release);
    const { sharing, problems: bundled } = await findSharing(context, ofSite, client);
    return { name: config.name, problems: [...problems, ...oversized, ...bundled], ...(sharing && { sharing }) };
  });
}

async function compileClient(context: BuildContext): Promise<ClientFiles & { readonly client: Compilation }> {
  const client = await compile(clientConfiguration(context), context);
  return { ...clientFiles(context, client), client };
}
