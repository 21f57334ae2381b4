// The steps of a rollout, and what happens to it next.
import type { RunningRollout } from "../data.js";
import { durationOf, timeOf } from "../format.js";
import type { Change, RolloutProgress } from "../openapi.js";

/** A share of visitors for a time. The last step has no time. */
export interface Step {
  readonly share: string;
  readonly time: string | null;
  readonly state: "done" | "current" | "next" | "later";
}

/** What a rollout waits for, and what happens next. */
interface Outlook {
  readonly kind: "good" | "wait" | "bad";
  readonly title: string;
  readonly text: string;
}

/** The steps of a rollout. */
export function stepsOf({ steps, step }: RolloutProgress): readonly Step[] {
  return steps.split(", ").map((text, index) => {
    const [share = text, time = null] = text.split(" for ");
    const state = index + 1 < step ? "done" : index + 1 === step ? "current" : index === step ? "next" : "later";
    return { share: time === null ? "Everyone" : share, time, state };
  });
}

/** The newest pause in the history that belongs to a rollout. */
export function pauseOf(history: readonly Change[], { sections }: RunningRollout): Change | undefined {
  // A section has one rollout at a time, so its newest pause is that of this one.
  const newest = history.find(
    (change) => change.paused !== undefined && Object.keys(sections).some((name) => name in change.sections),
  );
  return newest?.paused === true ? newest : undefined;
}

/** What a rollout waits for at a time, in milliseconds since the Unix epoch. */
export function outlookOf({ percent, progress, analysis }: RunningRollout, now: number): Outlook {
  const { verdict, limits } = analysis;
  if (verdict === "failing") {
    const what = "The candidate exceeds a limit.";
    if (limits.automaticAbort)
      return { kind: "bad", title: "Failing", text: `${what} The gateway aborts the rollout.` };
    if (progress && !progress.paused)
      return { kind: "bad", title: "Failing", text: `${what} The gateway pauses the steps.` };
    return { kind: "bad", title: "Failing", text: `${what} Abort the rollout, or promote the candidate.` };
  }
  const missing = analysis.queries.find((query) => query.verdict === "no-data");
  if (verdict === "no-data" && missing?.problem !== undefined && progress?.paused !== true) {
    const text = `${missing.name} of ${missing.section}: ${missing.problem}.`;
    return {
      kind: "wait",
      title: "No data",
      text: progress ? `${text} The rollout pauses when its step is over.` : text,
    };
  }
  const guard = limits.automaticAbort ? " If the candidate exceeds a limit, the gateway aborts the rollout." : "";
  if (!progress) {
    const text = `${String(percent)}% of visitors see the candidate until someone promotes it or aborts the rollout.${guard}`;
    return verdict === "passing"
      ? { kind: "good", title: "Passing", text }
      : { kind: "wait", title: "Too few requests", text };
  }
  if (progress.paused || progress.stepEndsAt === undefined) {
    const text = `The share stays at ${String(percent)}% until someone resumes, promotes or aborts the rollout.${guard}`;
    return { kind: "wait", title: "Paused", text };
  }
  const next = stepsOf(progress).find(({ state }) => state === "next");
  const change =
    next === undefined || next.time === null
      ? "the candidate becomes live for everyone"
      : `the share rises to ${next.share}`;
  const [start, end] = [progress.stepStartedAt, progress.stepEndsAt].map((time) => new Date(time).getTime()) as [
    number,
    number,
  ];
  const isOver = now >= end;
  if (verdict === "passing") {
    const text = isOver
      ? `The step is over: ${change}.`
      : `In ${durationOf(end - now)} ${change}, if the analysis still passes.`;
    return { kind: "good", title: "Passing", text };
  }
  const latest = start + (end - start) * (1 + limits.maxExtensions);
  const minimum = `both sides have ${String(limits.minRequests)} requests`;
  const otherwise = `Otherwise the rollout pauses at ${timeOf(latest)}.`;
  return {
    kind: "wait",
    title: "Too few requests",
    text: isOver
      ? `The step is extended. As soon as ${minimum}, ${change}. ${otherwise}`
      : `In ${durationOf(end - now)} ${change}, if ${minimum} by then. ${otherwise}`,
  };
}
