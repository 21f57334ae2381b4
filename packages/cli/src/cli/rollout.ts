import { Argument, type CommandUnknownOpts } from "@commander-js/extra-typings";

import { adminAccess, postAdmin } from "./api.js";
import type { CommandContext } from "./context.js";
import { describeCandidate } from "./deployments.js";
import { reasonOption } from "./options.js";
import { candidateOption, rolloutPath, rolloutSectionOption } from "./rolloutTarget.js";

interface PausedRollout {
  /** Number of the candidate. */
  readonly number: number;
  readonly percent: number;
  readonly paused: boolean;
}

/** Adds `colonnade rollout`. */
export function addRolloutCommand(
  program: CommandUnknownOpts,
  { folder, environment, printResult }: CommandContext,
): void {
  program
    .command("rollout")
    .summary("pause or resume a rollout in steps")
    .description(
      "Pauses a section's rollout: the share of visitors stays until it is resumed. Its step then begins again. A rollout " +
        "whose share was set with `colonnade promote --percent` is paused, too.",
    )
    .addArgument(new Argument("<action>", "what to do").choices(["pause", "resume"]))
    .addOption(rolloutSectionOption())
    .addOption(candidateOption())
    .addOption(reasonOption())
    .action(async (action, { reason, ...target }) => {
      const access = await adminAccess(environment);
      const path = `${await rolloutPath(folder, target)}/${action}`;
      const { body } = await postAdmin<PausedRollout>(access, path, { reason });
      const state = body.paused ? "paused" : "running";
      printResult({ text: `${describeCandidate(body.number, body.percent)}; the rollout is ${state}`, data: body });
    });
}
