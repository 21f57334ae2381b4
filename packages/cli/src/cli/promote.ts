import type { CommandUnknownOpts } from "@commander-js/extra-typings";

import { adminAccess, postAdmin } from "./api.js";
import type { CommandContext } from "./context.js";
import { describeCandidate } from "./deployments.js";
import { parsePercent, reasonOption } from "./options.js";
import { candidateOption, rolloutPath, rolloutSectionOption } from "./rolloutTarget.js";

const PERCENT_ADVICE = "; for 100, use `colonnade promote` without --percent.";

interface PromotedDeployment {
  readonly number: number;
  readonly live: boolean;
  readonly percent?: number;
}

/** Adds `colonnade promote`. */
export function addPromoteCommand(
  program: CommandUnknownOpts,
  { folder, environment, printResult }: CommandContext,
): void {
  program
    .command("promote")
    .summary("make a rollout's candidate live for all visitors, or change its share")
    .description(
      "Makes the candidate of a section's rollout live for all visitors. With --percent, changes only its share of " +
        "visitors. A visitor who sees the candidate still sees it when the share grows. Other rollouts continue.",
    )
    .option("--percent <percent>", "new share of visitors, 0 to 99", parsePercent(PERCENT_ADVICE))
    .addOption(rolloutSectionOption())
    .addOption(candidateOption())
    .addOption(reasonOption())
    .action(async ({ percent, reason, ...target }) => {
      const access = await adminAccess(environment);
      const path = `${await rolloutPath(folder, target)}/promote`;
      const { body } = await postAdmin<PromotedDeployment>(access, path, { percent, reason });
      const text = body.live
        ? `deployment ${String(body.number)} is live`
        : describeCandidate(body.number, body.percent ?? percent ?? 0);
      printResult({ text, data: body });
    });
}
