import { postAdmin } from "./api.js";
import { remoteCommand } from "./command.js";
import { readCandidate } from "./deployments.js";
import { REASON } from "./options.js";

interface Aborted {
  /** The candidate that was. */
  readonly number: number;
  /** What stays live. */
  readonly live: number;
}

/** `section abort` */
export const abortCommand = remoteCommand({
  name: "abort",
  summary: "take the candidate back",
  description: `Ends the rollout under way: every visitor gets the live deployment again.`,
  options: { reason: REASON },
  async run({ access, values: { reason } }) {
    const candidate = await readCandidate(access);
    const path = `/api/v1/deployments/${String(candidate)}/abort`;
    const { body } = await postAdmin<Aborted>(access, path, { reason });
    return {
      text: `deployment ${String(body.number)} is taken back; deployment ${String(body.live)} stays live`,
      data: body,
    };
  },
});
