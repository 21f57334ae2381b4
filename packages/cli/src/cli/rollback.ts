import { Option, type CommandUnknownOpts } from "@commander-js/extra-typings";

import { UsageError } from "../build/usageError.js";
import { adminAccess, postAdmin } from "./api.js";
import { confirm } from "./confirm.js";
import type { CommandContext } from "./context.js";
import type { Deployment } from "./deployments.js";
import { parseDeploymentNumber, reasonOption } from "./options.js";
import { printable } from "./printable.js";
import { sectionIn } from "./sectionName.js";

interface RolledBack extends Deployment {
  /** Pages that visitors cannot see. Older gateways do not send them. */
  readonly warnings?: readonly string[];
}

/** What to roll back: one section, all sections to a deployment, or, if empty, all to the previous deployment. */
interface RollbackTarget {
  readonly section?: string;
  readonly deployment?: number;
}

/** What a rollback would change. */
interface RollbackPlan {
  /** The live deployment. */
  readonly live: number;
  /** The deployment whose releases are all restored. */
  readonly restores: number | null;
  /** What each section would become. */
  readonly sections: Readonly<Record<string, { readonly from: string | null; readonly to: string | null }>>;
}

/** Adds `colonnade rollback`. */
export function addRollbackCommand(program: CommandUnknownOpts, context: CommandContext): void {
  const { folder, environment, stderr, printResult } = context;
  program
    .command("rollback")
    .summary("roll back a section (default: the one in this folder)")
    .description(
      "Rolls a section back to its previous live release; every other section keeps its release. Without an option, " +
        "rolls back the section in this folder. --deployment and --all roll back all sections; they require a token " +
        "for all sections and end all rollouts. Prints what each section becomes, and asks first on a terminal.",
    )
    .addOption(new Option("--section <name>", "roll back this section").conflicts(["deployment", "all"]))
    .addOption(
      new Option("--deployment <number>", "roll all sections back to this deployment")
        .argParser(parseDeploymentNumber)
        .conflicts("all"),
    )
    .option("--all", "roll all sections back to the previous live deployment")
    .addOption(reasonOption())
    .option("--yes", "do not ask")
    .action(async ({ section, deployment, all, reason, yes }) => {
      const access = await adminAccess(environment);
      const target = all
        ? {}
        : deployment !== undefined
          ? { deployment }
          : { section: section ?? (await sectionIn(folder)) };
      const { body: plan } = await postAdmin<RollbackPlan>(access, "/api/v1/rollback/plan", target);
      stderr.write(`${printable(describePlan(plan))}\n`);
      if (!yes && !(await confirm(context, "Roll back?"))) throw new UsageError("not rolled back");
      // The plan holds only while the same deployment is live.
      const request = { ...target, base: plan.live, reason };
      const { body } = await postAdmin<RolledBack>(access, "/api/v1/rollback", request);
      printResult({ text: describe(target, body), data: body, warnings: body.warnings ?? [] });
    });
}

const NOT_LIVE = "not live";

function describePlan({ restores, sections }: RollbackPlan): string {
  const target = restores === null ? [] : [`rollback to deployment ${String(restores)}:`];
  const changes = Object.entries(sections).map(([name, { from, to }]) => {
    return `${name}: ${from ?? NOT_LIVE} -> ${to ?? NOT_LIVE}`;
  });
  return [...target, ...(changes.length > 0 ? changes : ["no section changes"])].join("\n");
}

function describe({ section, deployment }: RollbackTarget, { number, releases }: RolledBack): string {
  const live = `deployment ${String(number)} is live`;
  if (section === undefined) {
    return deployment === undefined
      ? `${live}, with the releases of the previous deployment`
      : `${live}, with the releases of deployment ${String(deployment)}`;
  }
  const version = releases[section];
  const change = version === undefined ? `without ${section}` : `with ${section}@${version}`;
  return `${live}, ${change}`;
}
