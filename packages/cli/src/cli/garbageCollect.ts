import type { CommandUnknownOpts } from "@commander-js/extra-typings";

import { adminAccess, postAdmin } from "./api.js";
import type { CommandContext } from "./context.js";

interface CollectedGarbage {
  readonly deployments: readonly number[];
  /** As `name@version`. */
  readonly releases: readonly string[];
  readonly dryRun: boolean;
}

/** Adds `colonnade garbage-collect`. */
export function addGarbageCollectCommand(
  program: CommandUnknownOpts,
  { environment, printResult }: CommandContext,
): void {
  program
    .command("garbage-collect")
    .summary("remove deployments and releases past their retention")
    .description(
      "Runs garbage collection: removes deployments and releases that the gateway's retention settings no longer " +
        "cover. Keeps the live deployment, the candidates and recent deployments. Requires a token for all sections.",
    )
    .option("--dry-run", "list what would be removed, without removing it")
    .action(async ({ dryRun = false }) => {
      const { body } = await postAdmin<CollectedGarbage>(await adminAccess(environment), "/api/v1/garbage-collection", {
        dryRun,
      });
      printResult({ text: describe(body), data: body });
    });
}

function describe({ deployments, releases, dryRun }: CollectedGarbage): string {
  if (deployments.length + releases.length === 0) return "nothing to remove";
  return [
    dryRun ? "would remove:" : "removed:",
    ...deployments.map((number) => `deployment ${String(number)}`),
    ...releases.map((release) => `release ${release}`),
  ].join("\n");
}
