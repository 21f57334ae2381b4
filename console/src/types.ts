// Responses of the admin API, as far as the console reads them. `GET /api/v1/openapi.json` describes them.

/** The versions of a section before and after a change; null: it is not in the deployment. */
export interface ReleaseChange {
  readonly from: string | null;
  readonly to: string | null;
}

/** Release changes by the name of the section or `shell`. */
export type ReleaseChanges = Readonly<Record<string, ReleaseChange>>;

/** Versions by the name of the section or `shell`. */
export type Releases = Readonly<Record<string, string>>;

/** Whether a rollout, or one criterion of its analysis, may continue. */
export type Verdict = "passing" | "failing" | "too-few-samples";

/** The progress of a rollout through its steps. */
export interface RolloutProgress {
  /** Such as `5% for 10m, 25% for 1h, 100%`. */
  readonly steps: string;
  /** The number of the current step, from 1. */
  readonly step: number;
  readonly stepStartedAt: string;
  /** Absent if the rollout is paused. */
  readonly stepEndsAt?: string;
  readonly paused: boolean;
}

/** The visitors on one side of a rollout. Requests are those of the current step, views and clients those since its start. */
export interface AnalysisTrack {
  readonly requests: number;
  readonly serverErrorPercent: number;
  readonly renderFailurePercent: number;
  readonly latencyP99Ms: number | null;
  readonly views: number;
  readonly clients: number;
  readonly failedClientPercent: number;
}

/** The margins and minimums of the canary analysis. */
export interface AnalysisLimits {
  readonly automaticAbort: boolean;
  readonly abortMarginPercent: number;
  readonly minViews: number;
  readonly minClients: number;
  readonly minRequests: number;
  readonly serverErrorMarginPercent: number;
  readonly renderFailureMarginPercent: number;
  readonly latencyMarginMs: number;
  readonly maxExtensions: number;
}

/** The canary analysis of a rollout. */
export interface Analysis {
  readonly verdict: Verdict;
  readonly criteria: Readonly<Record<"serverErrors" | "renderFailures" | "latencyP99" | "failedClients", Verdict>>;
  readonly limits: AnalysisLimits;
  readonly gateways: number;
  readonly candidate: AnalysisTrack;
  readonly live: AnalysisTrack;
}

/** A running rollout. */
export interface Rollout {
  readonly deployment: number;
  readonly percent: number;
  readonly sections: ReleaseChanges;
  readonly by: string;
  readonly startedAt: string;
  /** Absent if the share changes only by hand. */
  readonly progress?: RolloutProgress;
  readonly analysis: Analysis;
}

export interface Deployment {
  readonly number: number;
  readonly releases: Releases;
  readonly createdAt: string;
  readonly by: string;
  readonly reason: string | null;
  readonly preview?: boolean;
}

export interface DeploymentList {
  readonly live: number | null;
  readonly deployments: readonly Deployment[];
  readonly url: string;
}

export interface SectionRelease {
  readonly version: string;
  readonly publishedAt: string;
  readonly by: string;
  readonly bytes: number;
}

export interface Section {
  readonly name: string;
  readonly kind: "section" | "shell";
  readonly releases: readonly SectionRelease[];
  readonly live: string | null;
  readonly candidate: string | null;
}

export interface ReleaseFile {
  readonly path: string;
  readonly bytes: number;
  readonly digest: string;
}

export interface ReleaseDescription {
  readonly name: string;
  readonly version: string;
  readonly publishedAt: string;
  readonly by: string;
  readonly files: readonly ReleaseFile[];
  readonly pages: readonly { readonly pattern: string; readonly files: readonly string[] }[];
}

export interface Change {
  readonly revision: number;
  readonly at: string;
  readonly by: string;
  readonly action: string;
  readonly live: number;
  readonly before: number | null;
  readonly candidate?: number;
  readonly percent?: number;
  /** The steps of a rollout that started. */
  readonly steps?: string;
  /** Whether the change paused the rollout or resumed it. */
  readonly paused?: boolean;
  readonly sections: ReleaseChanges;
  readonly reason: string | null;
}

export interface HistoryPage {
  readonly entries: readonly Change[];
  readonly next: number | null;
}

export interface TrafficPoint {
  readonly minute: number;
  readonly requests: number;
  readonly errors: number;
  readonly failures: number;
  readonly p50: number | null;
  readonly p95: number | null;
}

export type Track = "live" | "candidate" | "other";

export interface TrafficSeries {
  readonly section: string;
  readonly track: Track;
  readonly points: readonly TrafficPoint[];
}

export interface Traffic {
  readonly since: string;
  readonly now: number;
  readonly minutes: number;
  readonly step: number;
  readonly series: readonly TrafficSeries[];
}

export interface GatewayState {
  readonly version: string;
  readonly startedAt: string;
  readonly status: "ready" | "degraded" | "no-live-deployment" | "overloaded" | "replaced" | "shutting-down";
  /** Why it is degraded. */
  readonly problems: readonly string[];
  readonly unavailable: readonly string[];
  readonly revision: number;
  readonly streams: number;
}

export interface Session {
  readonly token: string;
  readonly sections: readonly string[];
  readonly actions: readonly string[];
  readonly expiresAt: string | null;
}

export interface RollbackPlan {
  readonly live: number;
  readonly restores: number | null;
  readonly sections: ReleaseChanges;
}

export interface PreviewLink {
  readonly deployment: number;
  readonly url: string;
  readonly expiresAt: string;
}

/** The data of a server-sent event. */
export interface StreamState {
  readonly revision: number;
  readonly entry: number;
  readonly minute: number;
}
