import type { RunningRollout } from "../data.js";
import { expect, test } from "vitest";

import type { Change, RolloutAnalysis, RolloutProgress, RolloutVerdict } from "../openapi.js";
import { outlookOf, pauseOf, stepsOf } from "./steps.js";
import { analysisOf, rolloutOf } from "./testing.js";

const START = Date.parse("2030-01-01T12:00:00Z");
const MINUTE = 60_000;

const PAUSED: RolloutProgress = {
  steps: "5% for 10m, 25% for 1h, 50% for 2h, 100%",
  step: 2,
  stepStartedAt: "2030-01-01T12:00:00Z",
  paused: true,
};

const PROGRESS: RolloutProgress = { ...PAUSED, stepEndsAt: "2030-01-01T13:00:00Z", paused: false };

function rollout(
  verdict: RolloutVerdict,
  progress?: Partial<RolloutProgress> | null,
  limits?: Partial<RolloutAnalysis["limits"]>,
): RunningRollout {
  const analysis = analysisOf({ verdict });
  return rolloutOf({
    analysis: { ...analysis, limits: { ...analysis.limits, ...limits } },
    ...(progress !== null && { progress: { ...PROGRESS, ...progress } }),
  });
}

/** A rollout with a criterion whose query has no result. */
function withoutData(): RunningRollout {
  const { analysis, ...rest } = rollout("no-data");
  const [name, section, problem] = ["errors", "legal", "no result"];
  const query = { name, section, problem, verdict: "no-data", candidate: null, live: null, max: 1 } as const;
  return { ...rest, analysis: { ...analysis, queries: [query] } };
}

test("stepsOf says which steps are done, current and next", () => {
  expect(stepsOf(PROGRESS)).toEqual([
    { share: "5%", time: "10m", state: "done" },
    { share: "25%", time: "1h", state: "current" },
    { share: "50%", time: "2h", state: "next" },
    { share: "Everyone", time: null, state: "later" },
  ]);
  expect(stepsOf({ ...PROGRESS, step: 3 }).at(-1)).toEqual({ share: "Everyone", time: null, state: "next" });
});

test.each<[string, RunningRollout, number, string, RegExp]>([
  ["a passing step", rollout("passing"), 18, "Passing", /^In 42 min the share rises to 50%, if the analysis/],
  [
    "a passing last step",
    rollout("passing", { step: 3 }),
    30,
    "Passing",
    /^In 30 min the candidate becomes live for everyone/,
  ],
  ["a step that is over", rollout("passing"), 60, "Passing", /^The step is over: the share rises to 50%\.$/],
  [
    "a step with too few requests",
    rollout("too-few-samples"),
    0,
    "Too few requests",
    /^In 1 h .* 200 requests by then\. Otherwise the rollout pauses at /,
  ],
  [
    "an extended step",
    rollout("too-few-samples"),
    61,
    "Too few requests",
    /^The step is extended\. As soon as both sides have 200 requests, the share rises to 50%/,
  ],
  [
    "a paused rollout",
    pausedRollout(),
    0,
    "Paused",
    /^The share stays at 25% until .* the gateway aborts the rollout\.$/,
  ],
  [
    "a share set by hand",
    rollout("passing", null),
    0,
    "Passing",
    /^25% of visitors see the candidate until someone promotes/,
  ],
  ["a share set by hand without requests", rollout("too-few-samples", null), 0, "Too few requests", /^25% of visitors/],
  ["a query without data", withoutData(), 0, "No data", /^errors of legal: no result\. The rollout pauses/],
  ["a failing rollout", rollout("failing"), 0, "Failing", /The gateway aborts the rollout\.$/],
  [
    "a failing rollout without aborts",
    rollout("failing", {}, { automaticAbort: false }),
    0,
    "Failing",
    /The gateway pauses the steps\.$/,
  ],
  [
    "a paused failing rollout without aborts",
    pausedRollout("failing", { automaticAbort: false }),
    0,
    "Failing",
    /Abort the rollout, or promote/,
  ],
])("outlookOf explains %s", (_, each, minutes, title, text) => {
  const outlook = outlookOf(each, START + minutes * MINUTE);
  expect(outlook.title).toBe(title);
  expect(outlook.text).toMatch(text);
});

test("an extended step pauses after its extensions", () => {
  const at = (maxExtensions: number): string =>
    outlookOf(rollout("too-few-samples", {}, { maxExtensions }), START).text;
  expect(at(3)).toContain("pauses at 16:00 UTC");
  expect(at(0)).toContain("pauses at 13:00 UTC");
});

test("pauseOf finds the pause of the rollout, if it is the newest", () => {
  const pause = changeOf({ paused: true, reason: "wait" });
  const other = changeOf({ paused: false, sections: { hello: { from: "1.0.0", to: "2.0.0" } } });
  expect(pauseOf([changeOf({}), other, pause], rollout("passing"))).toBe(pause);
  expect(pauseOf([changeOf({ paused: false }), pause], rollout("passing"))).toBeUndefined();
});

function pausedRollout(
  verdict: RolloutVerdict = "passing",
  limits: Partial<RolloutAnalysis["limits"]> = {},
): RunningRollout {
  return { ...rollout(verdict, null, limits), progress: PAUSED };
}

function changeOf(change: Partial<Change>): Change {
  return {
    revision: 1,
    previous: 0,
    at: "2030-01-01T12:00:00Z",
    by: "team",
    action: "percent",
    live: 1,
    before: 1,
    sections: { legal: { from: "1.0.0", to: "2.0.0" } },
    reason: null,
    ...change,
  };
}
