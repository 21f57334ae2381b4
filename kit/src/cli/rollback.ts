import { access as exists } from "node:fs/promises";
import path from "node:path";

import { CONFIG_FILE, loadConfig, UsageError } from "../build/config.js";
import { postAdmin } from "./api.js";
import { remoteCommand } from "./command.js";
import type { Deployment } from "./deployments.js";
import { deploymentNumber, REASON, text } from "./options.js";

interface RolledBack extends Deployment {
  /** The candidate with the same change, where a rollout of other sections is under way. */
  readonly candidate?: Deployment;
}

/** What is to go back: one section, the set as a deployment had it, or the set that was live before. */
interface Target {
  readonly section?: string;
  readonly deployment?: number;
}

/** `section rollback` */
export const rollbackCommand = remoteCommand({
  name: "rollback",
  summary: "return this folder's section, or another, to its release before",
  description: `Returns a section to the release it had live before, and leaves every other section as
it is. Without an option it is the section of this folder. --deployment and --all
return the whole set; they need a token for all sections, and end a rollout.`,
  options: {
    section: { value: "<name>", summary: "the section that returns", read: text },
    deployment: {
      value: "<number>",
      summary: "return the whole set to what this deployment had",
      read: deploymentNumber,
    },
    all: { summary: "return the whole set to what was live before" },
    reason: REASON,
  },
  async run({ surroundings: { folder }, access, values: { section, deployment, all, reason } }) {
    if ([section !== undefined, deployment !== undefined, all].filter(Boolean).length > 1)
      throw new UsageError("expected one of --section, --deployment and --all");
    const target = all
      ? {}
      : deployment !== undefined
        ? { deployment }
        : { section: section ?? (await sectionOf(folder)) };
    const { body } = await postAdmin<RolledBack>(access, "/api/v1/rollback", { ...target, reason });
    return { text: describe(target, body), data: body };
  },
});

async function sectionOf(folder: string): Promise<string> {
  await exists(path.join(folder, CONFIG_FILE)).catch(() => {
    throw new UsageError(
      `${folder} has no ${CONFIG_FILE}: run this in the folder of a section, or name one with --section <name>`,
    );
  });
  return (await loadConfig(folder)).name;
}

function describe({ section, deployment }: Target, { number, releases, candidate }: RolledBack): string {
  const live = `deployment ${String(number)} is live`;
  if (section === undefined) {
    return deployment === undefined
      ? `${live}, with the set that was live before`
      : `${live}, with the set of deployment ${String(deployment)}`;
  }
  const version = releases[section];
  const back = version === undefined ? `without ${section}` : `with ${section}@${version}`;
  const also = candidate ? `; the candidate has the change too and is now deployment ${String(candidate.number)}` : "";
  return `${live}, ${back}${also}`;
}
