import { Field } from "@colonnade/design";
import { useState, type ReactElement } from "react";

import { call } from "../api.js";
import type { Outcome } from "../data.js";
import { countOf } from "../format.js";
import type { ChangeResult, DeployPreview } from "../openapi.js";
import { ActionDialog } from "./ActionDialog.js";
import { isChange, Plan } from "./Plan.js";
import { usePlan } from "./usePlan.js";

/** Who sees the release. */
const WAYS = [
  ["everyone", "Everyone, at once"],
  ["default", "A rollout in the gateway’s steps"],
  ["steps", "A rollout in other steps"],
  ["percent", "A rollout by hand"],
] as const;

type Way = (typeof WAYS)[number][0];

const SHARES = [1, 5, 10, 25, 50];
const STEPS = "5% for 10m, 25% for 1h, 100%";

interface DeployDialogProps {
  readonly section: string;
  readonly version: string;
  readonly close: () => void;
}

/** Deploys a release of a section, or starts its rollout, after the gateway has said what changes. */
export function DeployDialog({ section, version, close }: DeployDialogProps): ReactElement {
  const [way, setWay] = useState<Way>("everyone");
  const [steps, setSteps] = useState(STEPS);
  const [percent, setPercent] = useState(5);
  const [accepts, setAccepts] = useState(false);
  const start = {
    everyone: {},
    default: { steps: "default" },
    steps: { steps },
    percent: { percent },
  }[way];
  const request = { releases: { [section]: version }, ...start };
  const plan = usePlan<DeployPreview>("/deployments/plan", request);
  const base = plan.value?.live ?? undefined;
  return (
    <ActionDialog
      heading={`Deploy ${section}`}
      action={way === "everyone" ? "Deploy for everyone" : "Start the rollout"}
      ready={isChange(plan)}
      close={close}
      act={(reason) => {
        // Another rejection may name others.
        setAccepts(false);
        return call<ChangeResult>("POST", "/deployments", {
          body: { ...request, base, ...(accepts && { acceptStatusChanges: true }), ...(reason !== "" && { reason }) },
        });
      }}
      remedy={(problems) => <Acceptance problems={problems} accepts={accepts} setAccepts={setAccepts} />}
      done={outcomeOf}
    >
      <fieldset className="choices column">
        <legend>Who sees it</legend>
        {WAYS.map(([each, label]) => (
          <label key={each}>
            <input
              type="radio"
              name="way"
              checked={each === way}
              onChange={() => {
                setWay(each);
              }}
            />
            <span>{label}</span>
          </label>
        ))}
      </fieldset>
      {way === "steps" && (
        <Field
          label="Steps"
          hint="Shares of visitors, each with its time. The analysis decides at the end of each."
          value={steps}
          maxLength={1000}
          autoComplete="off"
          onChange={({ target }) => {
            setSteps(target.value);
          }}
        />
      )}
      {way === "percent" && (
        <label className="filter">
          Share of visitors
          <select
            value={percent}
            onChange={({ target }) => {
              setPercent(Number(target.value));
            }}
          >
            {SHARES.map((share) => (
              <option key={share} value={share}>{`${String(share)}%`}</option>
            ))}
          </select>
        </label>
      )}
      <Plan plan={plan} name="deploy">
        {() => (way === "everyone" ? "For every visitor, at once:" : "For the visitors of the rollout:")}
      </Plan>
    </ActionDialog>
  );
}

interface AcceptanceProps {
  readonly problems: readonly string[];
  readonly accepts: boolean;
  readonly setAccepts: (accepts: boolean) => void;
}

/** The choice to accept the status changes among the problems of a deploy. */
function Acceptance({ problems, accepts, setAccepts }: AcceptanceProps): ReactElement | null {
  // Each of them names the option of the admin API.
  if (!problems.some((problem) => problem.includes("`acceptStatusChanges`"))) return null;
  return (
    <div className="choices">
      <label>
        <input
          type="checkbox"
          checked={accepts}
          onChange={({ target }) => {
            setAccepts(target.checked);
          }}
        />
        <span>Accept the status changes</span>
      </label>
    </div>
  );
}

function outcomeOf({ number, live, percent, warnings, requestedPaths }: ChangeResult): Outcome {
  const rendered = requestedPaths
    ? ` ${countOf(requestedPaths.rendered, "requested path")} rendered, ${String(requestedPaths.changed)} with other HTML.`
    : "";
  const what = live ? "is live for everyone." : `is the candidate for ${String(percent ?? 0)}% of visitors.`;
  return { text: `Deployment ${String(number)} ${what}${rendered}`, warnings };
}
