import path from "node:path";

import { clientFiles } from "../build/assets.js";
import { loadAdopted } from "../adopt/adopt.js";
import { runBuildCommand } from "../build/buildCommand.js";
import { ownBuild } from "../build/commandConfig.js";
import { compile } from "../build/compile.js";
import { sectionRelease } from "../build/section.js";
import { readEntry } from "../build/entry.js";
import { installedVersions } from "../build/shared.js";
import type { SiteBudget } from "../build/siteBudget.js";
import { inTemporaryFolder } from "../build/temporaryFolder.js";
import { identify } from "../build/version.js";
import { clientConfiguration } from "../build/webpack.js";
import { findOversizedViews } from "./budget.js";
import { check, type CheckedAgainst } from "./check.js";
import type { Problem } from "./problem.js";
import { checkShell } from "./shell.js";

/**
 * Checks the section or shell in `folder` without building a release. `siteBudget` is the budget that the site sets, if it is known.
 *
 * @throws UsageError if the package is invalid or does not compile.
 */
export async function checkSection(
  folder: string,
  against: CheckedAgainst = {},
  siteBudget?: SiteBudget,
): Promise<{ readonly name: string; readonly problems: readonly Problem[] }> {
  const config = await loadAdopted(folder);
  const mode = { final: false };
  const identity = await identify(folder, config, mode);
  return inTemporaryFolder(async (output) => {
    const context = { folder, output, config, identity, installed: installedVersions(folder), mode, siteBudget };
    if (config.kind === "shell")
      return { name: config.name, problems: (await checkShell(context, against.live)).problems };
    const own = ownBuild(config);
    const written = own && (await runBuildCommand(context, own));
    const { problems, declared } = await check({ ...context, written }, against);
    if (!declared) return { name: config.name, problems };
    const client = written ?? clientFiles(context, await compile(clientConfiguration(context), context));
    const imports = await readEntry(path.resolve(folder, config.entry));
    const release = await sectionRelease(context, client, imports, declared);
    return {
      name: config.name,
      problems: [...problems, ...(await findOversizedViews(context, client.compilation, release))],
    };
  });
}
