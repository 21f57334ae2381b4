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

/** A running rollout. */
export interface Rollout {
  readonly deployment: number;
  readonly percent: number;
  readonly sections: ReleaseChanges;
  readonly by: string;
  readonly startedAt: string;
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
  readonly rollouts: readonly Rollout[];
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
  readonly status: "ready" | "no-live-deployment" | "replaced" | "shutting-down";
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
