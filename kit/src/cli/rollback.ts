import { access as exists } from "node:fs/promises";
import path from "node:path";

import { Option, type CommandUnknownOpts } from "@commander-js/extra-typings";

import { CONFIG_FILE, loadConfig, UsageError } from "../build/config.js";
import { adminAccess, postAdmin } from "./api.js";
import type { CommandContext } from "./context.js";
import type { Deployment } from "./deployments.js";
import { parseDeploymentNumber, reasonOption } from "./options.js";

interface RolledBack extends Deployment {
  /** The new candidate with the same change, if a rollout of other sections is in progress. */
  readonly candidate?: Deployment;
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
        "for all sections and end the current rollout.",
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

async function sectionIn(folder: string): Promise<string> {
  await exists(path.join(folder, CONFIG_FILE)).catch(() => {
    throw new UsageError(
      `${folder} has no ${CONFIG_FILE}; run this in the folder of a section, or name one with --section <name>`,
    );
  });
  return (await loadConfig(folder)).name;
}

function describe({ section, deployment }: RollbackTarget, { number, releases, candidate }: RolledBack): string {
  const live = `deployment ${String(number)} is live`;
  if (section === undefined) {
    return deployment === undefined
      ? `${live}, with the releases of the previous deployment`
      : `${live}, with the releases of deployment ${String(deployment)}`;
  }
  const version = releases[section];
  const change = version === undefined ? `without ${section}` : `with ${section}@${version}`;
  const also = candidate ? `; the candidate has the change too and is now deployment ${String(candidate.number)}` : "";
  return `${live}, ${change}${also}`;
}
