import { postAdmin } from "./api.js";
import { remoteCommand } from "./command.js";
import { describeCandidate, readCandidate } from "./deployments.js";
import { percentage, REASON } from "./options.js";

interface Promoted {
  readonly number: number;
  readonly live: boolean;
  readonly percent?: number;
}

/** `section promote` */
export const promoteCommand = remoteCommand({
  name: "promote",
  summary: "put the candidate live for everyone, or change its share",
  description: `Puts the candidate of the rollout under way live for everyone. With --percent it stays
the candidate and only its share of visitors changes. A visitor who has it keeps it
when the share grows.`,
  options: {
    percent: { value: "<percent>", summary: "its new share of visitors, 0 to 99", read: percentage },
    reason: REASON,
  },
  async run({ access, values: { percent, reason } }) {
    const candidate = await readCandidate(access);
    const path = `/api/v1/deployments/${String(candidate)}/promote`;
    const { body } = await postAdmin<Promoted>(access, path, { percent, reason });
    return {
      text: body.live
        ? `deployment ${String(body.number)} is live`
        : describeCandidate(body.number, body.percent ?? percent ?? 0),
      data: body,
    };
  },
});
