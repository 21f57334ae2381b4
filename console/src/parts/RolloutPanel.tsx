import { Button, Card, Disclosure } from "@colonnade/design";
import { useState, type ReactElement } from "react";

import { useConsole, type RunningRollout } from "../data.js";
import { millisecondsOf, numberOf, shareOf } from "../format.js";
import { Ago } from "./Ago.js";
import { Changes } from "./Changes.js";
import { LineChart } from "./LineChart.js";
import { PreviewDialog } from "./PreviewDialog.js";
import { RolloutAnalysis } from "./RolloutAnalysis.js";
import { AbortDialog, PauseDialog, PromoteDialog } from "./RolloutDialogs.js";
import { RolloutSteps } from "./RolloutSteps.js";
import { linesOf, totalsOf, type Totals } from "./traffic.js";

/** A candidate: its changes, its share and steps, how it compares with the live releases, and what can be done. */
export function RolloutPanel({ rollout }: { readonly rollout: RunningRollout }): ReactElement {
  return (
    <Card as="article" className="rollout" aria-label={`Rollout of ${Object.keys(rollout.sections).join(", ")}`}>
      <Changes sections={rollout.sections} />
      <RolloutShare rollout={rollout} />
      <RolloutSteps rollout={rollout} />
      <RolloutAnalysis analysis={rollout.analysis} />
      <RolloutActions rollout={rollout} />
      <Disclosure summary="Traffic since the start">
        <Comparison rollout={rollout} />
      </Disclosure>
    </Card>
  );
}

/** How many visitors see the candidate. */
function RolloutShare({ rollout }: { readonly rollout: RunningRollout }): ReactElement {
  return (
    <div className="share">
      <p>
        <span>
          <b>{rollout.percent}%</b> of visitors
        </span>
        <span className="muted">
          deployment {rollout.deployment}, <Ago time={rollout.startedAt} /> by {rollout.by}
        </span>
      </p>
      {!rollout.progress && <progress value={rollout.percent} max={100} aria-label="Share of visitors" />}
    </div>
  );
}

interface Measure {
  readonly name: string;
  readonly value: (totals: Totals) => number | null;
  readonly format: (value: number) => string;
  /** Whether more is worse. */
  readonly isCost: boolean;
}

const MEASURES: readonly Measure[] = [
  { name: "Requests", value: ({ requests }) => requests, format: numberOf, isCost: false },
  {
    name: "Failures in browsers",
    value: ({ failures, requests }) => (requests === 0 ? null : failures / requests),
    format: shareOf,
    isCost: true,
  },
  {
    name: "Server errors",
    value: ({ errors, requests }) => (requests === 0 ? null : errors / requests),
    format: shareOf,
    isCost: true,
  },
  { name: "95th percentile", value: ({ p95 }) => p95, format: millisecondsOf, isCost: true },
];

/** The candidate beside the live deployment since the rollout started, for the sections of the rollout. */
function Comparison({ rollout }: { readonly rollout: RunningRollout }): ReactElement {
  const { traffic } = useConsole();
  const sections = Object.keys(rollout.sections);
  const since = new Date(rollout.startedAt).getTime();
  const [live, candidate] = (["live", "candidate"] as const).map((track) => totalsOf(traffic, sections, track, since));
  const [section] = sections;
  return (
    <>
      <table className="comparison">
        <caption className="visually-hidden">Candidate and live since the start of the rollout</caption>
        <thead>
          <tr>
            <td />
            <th scope="col">Live</th>
            <th scope="col">Candidate</th>
          </tr>
        </thead>
        <tbody>
          {MEASURES.map(({ name, value, format, isCost }) => {
            const [before, after] = [live, candidate].map((totals) => (totals ? value(totals) : null));
            const isWorse = isCost && before != null && after != null && after > before;
            return (
              <tr key={name}>
                <th scope="row">{name}</th>
                <td>{before == null ? "–" : format(before)}</td>
                <td className={isWorse ? "worse" : undefined}>
                  {after == null ? "–" : format(after)}
                  {isWorse && <span className="visually-hidden"> (higher than live)</span>}
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
      {section !== undefined && (
        <LineChart
          title={`Failures of ${section} in browsers`}
          lines={linesOf(traffic, section, (point) => point.failures, 0)}
          format={numberOf}
        />
      )}
    </>
  );
}

type RolloutAction = "promote" | "pause" | "abort" | "preview";

function RolloutActions({ rollout }: { readonly rollout: RunningRollout }): ReactElement | null {
  const { can } = useConsole();
  const [open, setOpen] = useState<RolloutAction | null>(null);
  const close = (): void => {
    setOpen(null);
  };
  const sections = Object.keys(rollout.sections);
  const mayDeploy = sections.every((section) => can("deploy", section));
  const mayPreview = sections.every((section) => can("preview", section));
  if (!mayDeploy && !mayPreview) return null;
  const { progress, analysis } = rollout;
  const actions: (readonly [action: RolloutAction, label: string])[] = [];
  if (mayDeploy) {
    actions.push(["promote", "Promote"]);
    if (progress) actions.push(["pause", progress.paused ? "Resume" : "Pause"]);
    actions.push(["abort", "Abort"]);
  }
  if (mayPreview) actions.push(["preview", "Preview"]);
  // The prominent button.
  const likely: RolloutAction = analysis.verdict === "failing" ? "abort" : "promote";
  return (
    <div className="actions">
      {actions.map(([action, label]) => (
        <Button
          key={action}
          quiet={action !== likely}
          className="small"
          onClick={() => {
            setOpen(action);
          }}
        >
          {label}
        </Button>
      ))}
      {open === "promote" && <PromoteDialog rollout={rollout} close={close} />}
      {open === "pause" && <PauseDialog rollout={rollout} close={close} />}
      {open === "abort" && <AbortDialog rollout={rollout} close={close} />}
      {open === "preview" && <PreviewDialog deployment={rollout.deployment} close={close} />}
    </div>
  );
}
