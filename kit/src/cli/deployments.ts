import { callAdmin, type AdminAccess } from "./api.js";

/** A deployment in the admin API. */
export interface Deployment {
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
  readonly startedAt: string;
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

/** Describes a candidate that got a change of other sections. */
export function describeUpdatedCandidate(rollout: Rollout): string {
  return `the candidate of ${rolloutSections(rollout)} has the change too, and is now deployment ${String(rollout.deployment)}`;
}
