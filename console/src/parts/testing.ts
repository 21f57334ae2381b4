// Values for tests.
import type { RunningRollout } from "../data.js";
import type { RolloutAnalysis, RolloutTrack } from "../openapi.js";

/** One side of a rollout without failures. */
export const TRACK: RolloutTrack = {
  requests: 300,
  serverErrorPercent: 0,
  renderFailurePercent: 0,
  latencyP99Ms: 120,
  views: 250,
  clients: 90,
  failedClientPercent: 0,
};

/** An analysis that passes, with changes. */
export function analysisOf(changes: Partial<RolloutAnalysis> = {}): RolloutAnalysis {
  return {
    verdict: "passing",
    summary: "passing",
    criteria: { serverErrors: "passing", renderFailures: "passing", latencyP99: "passing", failedClients: "passing" },
    queries: [],
    gateways: 1,
    limits: {
      automaticAbort: true,
      abortMarginPercent: 5,
      minViews: 100,
      minClients: 5,
      minRequests: 200,
      serverErrorMarginPercent: 2,
      renderFailureMarginPercent: 1,
      latencyMarginMs: 500,
      maxExtensions: 3,
    },
    candidate: TRACK,
    live: TRACK,
    ...changes,
  };
}

/** A rollout of `legal` by hand, with changes. */
export function rolloutOf(changes: Partial<RunningRollout> = {}): RunningRollout {
  return {
    deployment: 2,
    percent: 25,
    sections: { legal: { from: "1.0.0", to: "2.0.0" } },
    by: "team",
    startedAt: "2030-01-01T11:50:00Z",
    analysis: analysisOf(),
    ...changes,
  };
}
