import { Option } from "@commander-js/extra-typings";

import { parseDeploymentNumber } from "./options.js";
import { sectionIn } from "./sectionName.js";

/** Selects the rollout that a command promotes or aborts. By default, the rollout of the section in the folder. */
interface RolloutTarget {
  readonly section?: string | undefined;
  readonly deployment?: number | undefined;
}

/** Creates the option that selects a rollout by a section. */
export function rolloutSectionOption() {
  return new Option("--section <name>", "the rollout of this section (default: the section in this folder)").conflicts(
    "deployment",
  );
}

/** Creates the option that selects a rollout by its candidate. */
export function candidateOption() {
  return new Option("--deployment <number>", "the rollout of this candidate").argParser(parseDeploymentNumber);
}

/** Returns the path of a rollout in the admin API. */
export async function rolloutPath(folder: string, { section, deployment }: RolloutTarget): Promise<string> {
  if (deployment !== undefined) return `/api/v1/deployments/${String(deployment)}`;
  return `/api/v1/rollouts/${encodeURIComponent(section ?? (await sectionIn(folder)))}`;
}
