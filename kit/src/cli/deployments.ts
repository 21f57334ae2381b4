import { GatewayError } from "../build/usageError.js";
import { callAdmin, type AdminAccess } from "./api.js";

/** A deployment in the admin API. */
export interface Deployment {
  readonly number: number;
  /** Versions by section name, including the shell. */
  readonly releases: Readonly<Record<string, string>>;
}

/** A rollout in progress. */
export interface Rollout {
  /** Number of the candidate. */
  readonly deployment: number;
  /** Share of visitors who get the candidate. */
  readonly percent: number;
  readonly startedAt: string;
}

/** The live deployment and the rollout in progress. */
export interface Deployments {
  readonly live: number | null;
  readonly rollout: Rollout | null;
  /** The site's origin. Older gateways do not send it. */
  readonly url?: string;
}

/** Fetches the live deployment and the rollout in progress. */
export async function readDeployments(access: AdminAccess, signal?: AbortSignal): Promise<Deployments> {
  const { body } = await callAdmin<Deployments>(access, "GET", "/api/v1/deployments", undefined, signal);
  return body;
}

/**
 * Fetches the number of the candidate.
 *
 * @throws GatewayError when no rollout is in progress.
 */
export async function readCandidate(access: AdminAccess): Promise<number> {
  const { rollout } = await readDeployments(access);
  if (!rollout) {
    const message = "no rollout is in progress; start one with `section deploy --rollout <percent>`";
    throw new GatewayError(message, "rejected");
  }
  return rollout.deployment;
}

/** Describes a candidate and its share of visitors. */
export function describeCandidate(number: number, percent: number): string {
  return `deployment ${String(number)} is the candidate, for ${String(percent)}% of visitors`;
}
