import { Option, type CommandUnknownOpts } from "@commander-js/extra-typings";

import { adminAccess, postAdmin } from "./api.js";
import type { CommandContext } from "./context.js";
import { describeUpdatedCandidate, type Deployment, type Rollout } from "./deployments.js";
import { parseDeploymentNumber, reasonOption } from "./options.js";
import { sectionIn } from "./sectionName.js";

interface RolledBack extends Deployment {
  /** The running rollouts of other sections. Their candidates have the change too. */
  readonly rollouts: readonly Rollout[];
}

/** What to roll back: one section, all sections to a deployment, or, if empty, all to the previous deployment. */
interface RollbackTarget {
  readonly section?: string;
  readonly deployment?: number;
}

/** Adds `section rollback`. */
export function addRollbackCommand(
  program: CommandUnknownOpts,
  { folder, environment, printResult }: CommandContext,
): void {
  program
    .command("rollback")
    .summary("roll back a section (default: the one in this folder)")
    .description(
      "Rolls a section back to its previous live release; every other section keeps its release. Without an option, " +
        "rolls back the section in this folder. --deployment and --all roll back all sections; they require a token " +
        "for all sections and end all rollouts.",
    )
    .addOption(new Option("--section <name>", "roll back this section").conflicts(["deployment", "all"]))
    .addOption(
      new Option("--deployment <number>", "roll all sections back to this deployment")
        .argParser(parseDeploymentNumber)
        .conflicts("all"),
    )
    .option("--all", "roll all sections back to the previous live deployment")
    .addOption(reasonOption())
    .action(async ({ section, deployment, all, reason }) => {
      const access = adminAccess(environment);
      const target = all
        ? {}
        : deployment !== undefined
          ? { deployment }
          : { section: section ?? (await sectionIn(folder)) };
      const { body } = await postAdmin<RolledBack>(access, "/api/v1/rollback", { ...target, reason });
      printResult({ text: describe(target, body), data: body });
    });
}

function describe({ section, deployment }: RollbackTarget, { number, releases, rollouts }: RolledBack): string {
  const live = `deployment ${String(number)} is live`;
  if (section === undefined) {
    return deployment === undefined
      ? `${live}, with the releases of the previous deployment`
      : `${live}, with the releases of deployment ${String(deployment)}`;
  }
  const version = releases[section];
  const change = version === undefined ? `without ${section}` : `with ${section}@${version}`;
  return [`${live}, ${change}`, ...rollouts.map(describeUpdatedCandidate)].join("\n");
}
