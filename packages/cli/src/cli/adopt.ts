import type { CommandUnknownOpts } from "@commander-js/extra-typings";

import { releaseFromManifest } from "../build/build.js";
import { resultOf } from "./build.js";
import type { CommandContext } from "./context.js";
import { stepProgress } from "./progress.js";

/** Adds `colonnade adopt`. */
export function addAdoptCommand(program: CommandUnknownOpts, { folder, stderr, printResult }: CommandContext): void {
  program
    .command("adopt")
    .summary("build the section in this folder and an existing remote into release/")
    .description(
      "Builds the section in this folder into release/, as `colonnade build` does, together with a remote that a plugin of " +
        "Module Federation has built, with its mf-manifest.json. The section's pages import the modules that the remote exposes.",
    )
    .argument("<dist>", "the folder of the built remote")
    .option("--final", "use the version in package.json, instead of one derived from the sources and the remote")
    .action(async (dist, { final = false }) => {
      const progress = stepProgress(stderr);
      const result = await releaseFromManifest(folder, dist, { final }, progress.start).finally(progress.clear);
      printResult(resultOf(folder, result));
    });
}
