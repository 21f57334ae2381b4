import { useState, type ReactElement } from "react";

import { call } from "../api.js";
import type { Rollout } from "../openapi.js";
import { ActionDialog } from "./ActionDialog.js";
import { Changes } from "./Changes.js";

interface RolloutDialogProps {
  readonly rollout: Rollout;
  readonly close: () => void;
}

const SHARES = [5, 10, 25, 50, 75, 100];

// A section has one rollout at a time, so it names the rollout.
function pathOf({ sections, deployment }: Rollout, action: string): string {
  const [section] = Object.keys(sections);
  return section === undefined ? `/deployments/${String(deployment)}/${action}` : `/rollouts/${section}/${action}`;
}

/** The releases of a rollout, for texts. */
const nameOf = ({ sections }: Rollout): string =>
  Object.entries(sections)
    .map(([name, { to }]) => (to === null ? name : `${name} ${to}`))
    .join(", ");

const withReason = (reason: string): object => (reason === "" ? {} : { reason });

/** Raises the share of a rollout, or makes it live for everyone. */
export function PromoteDialog({ rollout, close }: RolloutDialogProps): ReactElement {
  const shares = SHARES.filter((share) => share > rollout.percent);
  const [share, setShare] = useState(shares[0] ?? 100);
  return (
    <ActionDialog
      heading="Promote the candidate"
      action={share === 100 ? "Make it live for everyone" : `Raise to ${String(share)}%`}
      close={close}
      act={(reason) =>
        call("POST", pathOf(rollout, "promote"), {
          body: { ...(share < 100 && { percent: share }), ...withReason(reason) },
        })
      }
      done={() => ({
        text:
          share === 100
            ? `${nameOf(rollout)} is live for everyone.`
            : `${String(share)}% of visitors see ${nameOf(rollout)}.`,
      })}
    >
      <Changes sections={rollout.sections} />
      <fieldset className="choices">
        <legend>Share of visitors, now {rollout.percent}%</legend>
        {shares.map((each) => (
          <label key={each}>
            <input
              type="radio"
              name="share"
              value={each}
              checked={each === share}
              onChange={() => {
                setShare(each);
              }}
            />
            <span>{each === 100 ? "Everyone" : `${String(each)}%`}</span>
          </label>
        ))}
      </fieldset>
      <p className="muted">
        {share === 100
          ? "The rollout ends, and the candidate becomes the live deployment."
          : "More visitors see the candidate. Nobody who sees it now leaves it."}
      </p>
    </ActionDialog>
  );
}

/** Pauses the steps of a rollout, or resumes them. */
export function PauseDialog({ rollout, close }: RolloutDialogProps): ReactElement {
  // Another operator may do the same meanwhile.
  const [isPaused] = useState(rollout.progress?.paused === true);
  const action = isPaused ? "resume" : "pause";
  const heading = isPaused ? "Resume the steps" : "Pause the steps";
  return (
    <ActionDialog
      heading={heading}
      action={heading}
      close={close}
      act={(reason) => call("POST", pathOf(rollout, action), { body: withReason(reason) })}
      done={() => ({ text: `The rollout of ${nameOf(rollout)} is ${isPaused ? "resumed" : "paused"}.` })}
    >
      <Changes sections={rollout.sections} />
      <p>
        {isPaused
          ? "The current step begins again, with its whole time. Then the gateway continues with the next one."
          : `The share stays at ${String(rollout.percent)}% until someone resumes the steps. The analysis goes on.`}
      </p>
    </ActionDialog>
  );
}

/** Ends a rollout. */
export function AbortDialog({ rollout, close }: RolloutDialogProps): ReactElement {
  const back = Object.entries(rollout.sections).map(([name, { from, to }]) => [name, { from: to, to: from }] as const);
  return (
    <ActionDialog
      heading="Abort the rollout"
      action="Abort the rollout"
      close={close}
      act={(reason) => call("POST", pathOf(rollout, "abort"), { body: withReason(reason) })}
      done={() => ({ text: `The rollout of ${nameOf(rollout)} is aborted. No visitor sees it.` })}
    >
      <p>For the {rollout.percent}% of visitors who see the candidate:</p>
      <Changes sections={Object.fromEntries(back)} />
    </ActionDialog>
  );
}
