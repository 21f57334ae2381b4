import type { CommandUnknownOpts } from "@commander-js/extra-typings";

import { adminAccess, postAdmin } from "./api.js";
import type { CommandContext } from "./context.js";
import { reasonOption } from "./options.js";
import { candidateOption, rolloutPath, rolloutSectionOption } from "./rolloutTarget.js";

interface AbortedRollout {
  /** Number of the former candidate. */
  readonly number: number;
  /** Number of the live deployment. */
  readonly live: number;
}

/** Adds `colonnade abort`. */
export function addAbortCommand(
  program: CommandUnknownOpts,
  { folder, environment, printResult }: CommandContext,
): void {
  program
    .command("abort")
    .summary("abort a rollout and drop its candidate")
    .description("Aborts a section's rollout: visitors no longer see its candidate. Other rollouts continue.")
    .addOption(rolloutSectionOption())
    .addOption(candidateOption())
    .addOption(reasonOption())
    .action(async ({ reason, ...target }) => {
      const access = await adminAccess(environment);
      const path = `${await rolloutPath(folder, target)}/abort`;
      const { body } = await postAdmin<AbortedRollout>(access, path, { reason });
      const text = `rollout of deployment ${String(body.number)} aborted; deployment ${String(body.live)} stays live`;
      printResult({ text, data: body });
    });
}
