import type { CommandUnknownOpts } from "@commander-js/extra-typings";

import { build, type BuildResult } from "../build/build.js";
import { loadConfig } from "../build/config.js";
import { guideHint } from "../check/guide.js";
import type { CommandContext, CommandResult } from "./context.js";
import { targetSiteOption } from "./options.js";
import { stepProgress } from "./progress.js";
import { readBuildTarget } from "./buildTarget.js";

/** Adds `colonnade build`. */
export function addBuildCommand(program: CommandUnknownOpts, context: CommandContext): void {
  const { folder, environment, stderr, printResult } = context;
  program
    .command("build")
    .summary("build the section in this folder into release/")
    .description(
      "Builds the section in this folder into release/, and renders its pages as `colonnade check` does. A failed build " +
        "leaves the previous release in place.",
    )
    .option("--final", "use the version in package.json, instead of one derived from the sources")
    .option("--development", "use React's development build, which reports errors in the console (shell only)")
    .addOption(targetSiteOption())
    .action(async ({ final = false, development = false, site }) => {
      const progress = stepProgress(stderr);
      const config = await loadConfig(folder);
      const buildTarget = await readBuildTarget(folder, { config, site, environment, stderr });
      const result = await build(folder, { final, development }, progress.start, buildTarget).finally(progress.clear);
      printResult(resultOf(folder, result));
    });
}

/** What a command prints about the build of the section in a folder. */
export function resultOf(folder: string, { release, built, warnings }: BuildResult): CommandResult {
  const { name, version, files } = release;
  const size = files.reduce((sum, file) => sum + file.size, 0);
  const text = built
    ? `built ${name}@${version}: ${String(files.length)} files, ${(size / 1024).toFixed(0)} KiB`
    : `${name}@${version} is up to date`;
  return { text, data: { name, version, built, warnings }, warnings, hint: guideHint(folder) };
}
