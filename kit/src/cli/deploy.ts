import { postAdmin, type AdminAccess } from "./api.js";
import { remoteCommand, type Outcome } from "./command.js";
import { describeCandidate, type Deployment } from "./deployments.js";
import { deploymentNumber, percentage, REASON } from "./options.js";
import { RELEASES, REMOVE, wantedReleases, type WantedReleases } from "./releases.js";

/** How a deploy is to go. */
export interface DeployOptions {
  /** Show the new deployment to this share of visitors only: 0 to 99. */
  readonly percent?: number | undefined;
  /** The deployment that must still be live. */
  readonly base?: number | undefined;
  /** Why, for the history. */
  readonly reason?: string | undefined;
}

/** A deployment that a deploy made, or found. */
export interface DeployedDeployment extends Deployment {
  /** False for a candidate. */
  readonly live: boolean;
  /** Of visitors who get the candidate. */
  readonly percent?: number;
  /** The candidate with the same change, where a rollout of other sections was under way. */
  readonly candidate?: Deployment;
}

/** What a deploy did. */
export interface Deployed {
  readonly deployment: DeployedDeployment;
  /** False where these releases were live already. */
  readonly isNew: boolean;
}

/** Puts published releases live, all at once; every other section keeps its release. */
export async function deploy(
  releases: WantedReleases,
  options: DeployOptions | undefined,
  access: AdminAccess,
): Promise<Deployed> {
  const { status, body } = await postAdmin<DeployedDeployment>(access, "/api/v1/deployments", {
    releases,
    ...options,
  });
  return { deployment: body, isNew: status === 201 };
}

/** `section deploy` */
export const deployCommand = remoteCommand({
  name: "deploy",
  operands: RELEASES,
  summary: "put published releases live; without a name, this folder's",
  description: `Puts published releases live together; every other section keeps its release. Without
a name it is the release in release/. Changes that belong together, such as a page that
moves from one section to another, are one deploy of several releases.`,
  options: {
    rollout: {
      value: "<percent>",
      summary: "show it to this share of visitors, 0 to 99, until it is promoted or aborted",
      read: percentage,
    },
    remove: REMOVE,
    base: {
      value: "<number>",
      summary: "refuse unless this deployment is still live",
      read: deploymentNumber,
    },
    reason: REASON,
  },
  async run({ surroundings: { folder }, access, values, operands }) {
    const releases = await wantedReleases(folder, operands, values.remove);
    const { rollout: percent, base, reason } = values;
    const deployed = await deploy(releases, { percent, base, reason }, access);
    return { text: describe(deployed), data: { ...deployed.deployment, isNew: deployed.isNew } } satisfies Outcome;
  },
});

function describe({ deployment: { number, live, percent = 0, candidate }, isNew }: Deployed): string {
  if (!isNew) return `deployment ${String(number)} has these releases already`;
  if (!live) {
    return `${describeCandidate(number, percent)}
\`section promote\` puts it live for everyone, \`section abort\` takes it back`;
  }
  const also = candidate ? `; the candidate has the change too and is now deployment ${String(candidate.number)}` : "";
  return `deployment ${String(number)} is live${also}`;
}
