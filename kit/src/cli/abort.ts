import type { CommandUnknownOpts } from "@commander-js/extra-typings";

import { adminAccess, postAdmin } from "./api.js";
import type { CommandContext } from "./context.js";
import { readCandidate } from "./deployments.js";
import { reasonOption } from "./options.js";

interface AbortedRollout {
  /** Number of the former candidate. */
  readonly number: number;
  /** Number of the live deployment. */
  readonly live: number;
}

/** Adds `section abort`. */
export function addAbortCommand(program: CommandUnknownOpts, { environment, printResult }: CommandContext): void {
  program
    .command("abort")
    .summary("abort the rollout and drop the candidate")
    .description("Aborts the current rollout: every visitor gets the live deployment again.")
    .addOption(reasonOption())
    .action(async ({ reason }) => {
      const access = adminAccess(environment);
      const candidate = await readCandidate(access);
      const path = `/api/v1/deployments/${String(candidate)}/abort`;
      const { body } = await postAdmin<AbortedRollout>(access, path, { reason });
      const text = `rollout of deployment ${String(body.number)} aborted; deployment ${String(body.live)} stays live`;
      printResult({ text, data: body });
    });
}
