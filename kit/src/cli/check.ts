import type { CommandUnknownOpts } from "@commander-js/extra-typings";

import { checkSection } from "../check/index.js";
import { CheckError } from "../check/problem.js";
import type { CommandContext } from "./context.js";

/** Adds `section check`. */
export function addCheckCommand(program: CommandUnknownOpts, { folder, printResult }: CommandContext): void {
  program
    .command("check")
    .summary("check that the gateway can render the section's pages")
    .description(
      "Renders the pages of the section in this folder by the rules of the gateway's sandbox, and lists every violation " +
        "with its file and line. `section build` does this too.",
    )
    .action(async () => {
      const { name, problems } = await checkSection(folder);
      const { json } = program.opts();
      if (json || problems.length === 0) printResult({ text: `${name} follows the rules`, data: { name, problems } });
      if (problems.length > 0) throw new CheckError(name, problems);
    });
}
