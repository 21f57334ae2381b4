import type { ReactElement } from "react";

import { useConsole, type RunningRollout } from "../data.js";
import { durationOf } from "../format.js";
import { Message } from "./Message.js";
import type { RolloutProgress } from "../openapi.js";
import { Ago } from "./Ago.js";
import { Reason } from "./ChangeList.js";
import { outlookOf, pauseOf, stepsOf, type Step } from "./steps.js";
import { useNow } from "./useNow.js";

/** The steps of a rollout as a timeline, what it waits for, and what happens next. */
export function RolloutSteps({ rollout }: { readonly rollout: RunningRollout }): ReactElement {
  const { history } = useConsole();
  const now = useNow(1000);
  const { progress } = rollout;
  const { kind, title, text } = outlookOf(rollout, now);
  const pause = progress?.paused ? pauseOf(history.entries, rollout) : undefined;
  return (
    <>
      {progress && <Timeline progress={progress} now={now} />}
      <div className={`outlook ${kind}`}>
        <p>
          <b>{title}.</b> <Message>{text}</Message>
        </p>
        {pause && (
          <>
            <p className="muted">
              Paused by {pause.by}, <Ago time={pause.at} />
              {pause.reason !== null && ":"}
            </p>
            <Reason change={pause} />
          </>
        )}
      </div>
    </>
  );
}

interface TimelineProps {
  readonly progress: RolloutProgress;
  readonly now: number;
}

function Timeline({ progress, now }: TimelineProps): ReactElement {
  const start = new Date(progress.stepStartedAt).getTime();
  const end = progress.stepEndsAt === undefined ? null : new Date(progress.stepEndsAt).getTime();
  const stateOf = ({ state }: Step): string => {
    if (state !== "current") return state === "later" ? "" : state;
    if (end === null) return "paused";
    return now < end ? `${durationOf(end - now)} left` : "extended";
  };
  return (
    <ol className="steps" aria-label="Steps">
      {stepsOf(progress).map((step) => (
        <li key={step.share} className={step.state} aria-current={step.state === "current" ? "step" : undefined}>
          <progress
            value={
              step.state === "done"
                ? 1
                : step.state === "current" && end !== null
                  ? Math.min(now - start, end - start)
                  : 0
            }
            max={step.state === "current" && end !== null ? end - start : 1}
            aria-hidden="true"
          />
          <b>{step.share}</b>
          {step.time !== null && <span> for {step.time}</span>}
          <span className="step-state"> {stateOf(step)}</span>
        </li>
      ))}
    </ol>
  );
}
