import { UsageError } from "../build/config.js";
import { callAdmin, type AdminAccess } from "./api.js";

/** A deployment as the admin API shows it. */
export interface Deployment {
  readonly number: number;
  /** Version by name of the section; the shell is one of them. */
  readonly releases: Readonly<Record<string, string>>;
}

/** A rollout under way. */
export interface Rollout {
  /** Number of the candidate. */
  readonly deployment: number;
  /** The share of visitors who get it. */
  readonly percent: number;
  readonly startedAt: string;
}

/** What is live, and what is on its way there. */
export interface Deployments {
  readonly live: number | null;
  readonly rollout: Rollout | null;
}

/** Asks which deployment is live and which is the candidate. */
export async function readDeployments(access: AdminAccess): Promise<Deployments> {
  const { body } = await callAdmin<Deployments>(access, "GET", "/api/v1/deployments");
  return body;
}

/**
 * The number of the candidate.
 *
 * @throws UsageError when no rollout runs.
 */
export async function readCandidate(access: AdminAccess): Promise<number> {
  const { rollout } = await readDeployments(access);
  if (!rollout)
    throw new UsageError("no rollout runs; expected a candidate, which `section deploy --rollout <percent>` makes");
  return rollout.deployment;
}

/** That a deployment is shown to a share of the visitors, in words. */
export function describeCandidate(number: number, percent: number): string {
  return `deployment ${String(number)} is the candidate, for ${String(percent)}% of visitors`;
}
