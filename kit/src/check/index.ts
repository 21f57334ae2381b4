import { loadConfig, UsageError } from "../build/config.js";
import { installedVersions } from "../build/shared.js";
import { identify } from "../build/version.js";
import { check } from "./check.js";
import type { Problem } from "./problem.js";

/**
 * Checks the section in `folder` without building a release.
 *
 * @throws UsageError if the package is not a section or does not compile.
 */
export async function checkSection(
  folder: string,
): Promise<{ readonly name: string; readonly problems: readonly Problem[] }> {
  const config = await loadConfig(folder);
  if (config.kind === "shell") throw new UsageError("shell is not a section; only sections can be checked");
  const mode = { final: false };
  const identity = await identify(folder, config, mode);
  const context = { folder, output: folder, config, identity, installed: installedVersions(folder), mode };
  const { problems } = await check(context);
  return { name: config.name, problems };
}
