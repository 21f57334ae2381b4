import { callAdmin, type AdminAccess } from "./api.js";

/** A deployment in the admin API. */
export interface Deployment {
  /** Counts up from 1. */
  readonly number: number;
  /** Versions by section name, including the shell. */
  readonly releases: Readonly<Record<string, string>>;
}

/** A running rollout. */
export interface Rollout {
  /** Number of the candidate. */
  readonly deployment: number;
  /** Share of visitors who get the candidate. */
  readonly percent: number;
  /** Release changes by name of the section. */
  readonly sections: Readonly<Record<string, object>>;
  /** Name of the token that started the rollout. */
  readonly by: string;
  /** In UTC, as in RFC 3339. */
  readonly startedAt: string;
  /** Absent if the share changes only by hand. */
  readonly progress?: RolloutProgress;
  /** Only `GET /api/v1/rollouts` has it. */
  readonly analysis?: RolloutAnalysis;
}

/** The progress of a rollout through its steps. */
export interface RolloutProgress {
  /** Such as `5% for 10m, 25% for 1h, 100%`. */
  readonly steps: string;
  /** Number of the current step, from 1. */
  readonly step: number;
  /** Whether the share no longer changes. */
  readonly paused: boolean;
}

/** The canary analysis of a rollout by one gateway. */
export interface RolloutAnalysis {
  /** Whether the candidate is as good as what is live. */
  readonly verdict: "passing" | "failing" | "too-few-samples" | "no-data";
  /** The verdict with its numbers. */
  readonly summary: string;
}

/** The live deployment and the running rollouts. */
export interface Deployments {
  readonly live: number | null;
  readonly rollouts: readonly Rollout[];
  /** The site's origin. Older gateways do not send it. */
  readonly url?: string;
}

/** Fetches the live deployment and the running rollouts. */
export async function readDeployments(access: AdminAccess, signal?: AbortSignal): Promise<Deployments> {
  const { body } = await callAdmin<Deployments>(access, "GET", "/api/v1/deployments", undefined, signal);
  return body;
}

/** Describes a candidate and its share of visitors. */
export function describeCandidate(number: number, percent: number): string {
  return `deployment ${String(number)} is the candidate, for ${String(percent)}% of visitors`;
}

/** Lists the sections of a rollout. */
export function rolloutSections({ sections }: Rollout): string {
  return Object.keys(sections).join(", ");
}

/** Describes the step of a rollout, such as `1 of 3`; undefined if the share changes only by hand. */
export function describeStep({ progress }: Rollout): string | undefined {
  if (!progress) return undefined;
  const count = progress.steps.split(",").length - 1;
  return `${String(progress.step)} of ${String(count)}${progress.paused ? ", paused" : ""}`;
}
