import type { CommandUnknownOpts } from "@commander-js/extra-typings";

import { UsageError } from "../build/usageError.js";
import { adminAccess, postAdmin, type AdminAccess } from "./api.js";
import type { CommandContext } from "./context.js";
import { describeCandidate, type Deployment, type Rollout } from "./deployments.js";
import { parseDeploymentNumber, parsePercent, reasonOption } from "./options.js";
import { pageUrl } from "./page.js";
import { parseReleases, removeOption, type ReleaseChanges } from "./releases.js";

/** Options of a deploy. */
export interface DeployOptions {
  /** Start a rollout to this share of visitors: 0 to 99. */
  readonly percent?: number | undefined;
  /** Start a rollout in these steps, such as `5% for 10m, 100%`. `default` stands for those of the gateway. */
  readonly steps?: string | undefined;
  /** Fail unless this deployment is still live. */
  readonly base?: number | undefined;
  /** Deploy although paths that visitors request become redirects, or not found. */
  readonly acceptStatusChanges?: boolean | undefined;
  /** Recorded in the history. */
  readonly reason?: string | undefined;
}

/** The deployment that a deploy created or found. */
export interface DeployedDeployment extends Deployment {
  /** False for a candidate. */
  readonly live: boolean;
  /** Share of visitors who get the candidate. */
  readonly percent?: number;
  /** The running rollouts. If the deployment is live, their candidates have the change too. */
  readonly rollouts: readonly Rollout[];
  /** The site's origin. Older gateways do not send it. */
  readonly url?: string;
  /** The path of a page of each section, by section name. Older gateways do not send them. */
  readonly paths?: Readonly<Record<string, string>>;
  /** Pages that visitors cannot see. Older gateways do not send them. */
  readonly warnings?: readonly string[];
  /**
   * How many of the paths that visitors request most the gateway has rendered with the live releases and with the new ones, and
   * how many of them have other HTML. Absent if none was.
   */
  readonly requestedPaths?: { readonly rendered: number; readonly changed: number };
}

/** Result of a deploy. */
export interface Deployed {
  /** The deployment that the gateway created. */
  readonly deployment: DeployedDeployment;
  /** False if these releases were already live. */
  readonly isNew: boolean;
}

/** Puts published releases live in one deployment. Every other section keeps its release. */
export async function deploy(
  releases: ReleaseChanges,
  options: DeployOptions | undefined,
  access: AdminAccess,
): Promise<Deployed> {
  const { status, body } = await postAdmin<DeployedDeployment>(access, "/api/v1/deployments", {
    releases,
    ...options,
  });
  return { deployment: body, isNew: status === 201 };
}

/** Adds `colonnade deploy`. */
export function addDeployCommand(
  program: CommandUnknownOpts,
  { folder, environment, printResult }: CommandContext,
): void {
  program
    .command("deploy [name@version...]")
    .summary("put published releases live (default: the release in release/)")
    .description(
      "Puts published releases live in one deployment; every other section keeps its release. Without an argument, " +
        "deploys the release in release/. Deploy changes that belong together, such as a page that moves between " +
        "sections, with one command.",
    )
    .option(
      "--rollout [percent]",
      "start a rollout to this share of visitors, 0 to 99 (default: the gateway's steps)",
      // A name after the option is its value.
      parsePercent(". Name releases before --rollout."),
    )
    .option("--steps <steps>", 'start a rollout in these steps, such as "5% for 10m, 25% for 1h, 100%"')
    .addOption(removeOption())
    .option("--base <number>", "fail unless this deployment is still live", parseDeploymentNumber)
    .option("--accept-status-changes", "deploy although paths that visitors request become redirects, or not found")
    .addOption(reasonOption())
    .action(async (names, { rollout, steps, remove, base, acceptStatusChanges, reason }) => {
      const access = await adminAccess(environment);
      const start = rolloutStart(rollout, steps);
      const releases = await parseReleases(folder, names, remove);
      const { deployment, isNew } = await deploy(releases, { ...start, base, acceptStatusChanges, reason }, access);
      const page = pageOf(deployment, releases);
      const lines = [describe({ deployment, isNew }), describeRequested(deployment), page];
      const text = lines.filter((line) => line !== undefined).join("\n");
      const data = { ...deployment, isNew, ...(page !== undefined && { page }) };
      printResult({ text, data, warnings: deployment.warnings ?? [] });
    });
}

/** How a rollout starts: with a share, or with steps. Neither means that the deployment goes live. */
function rolloutStart(
  rollout: number | true | undefined,
  steps: string | undefined,
): Pick<DeployOptions, "percent" | "steps"> {
  if (typeof rollout !== "number") return { steps: steps ?? (rollout && "default") };
  if (steps !== undefined) throw new UsageError("--rollout has a percentage; expected either it or --steps");
  return { percent: rollout };
}

/**
 * The URL of a page that a live deployment shows: of the first deployed section that has one, or else the home page.
 * Undefined for a candidate, which a visitor of the page may not get.
 */
function pageOf({ live, url, paths = {} }: DeployedDeployment, releases: ReleaseChanges): string | undefined {
  if (!live || url === undefined) return undefined;
  const [path = "/"] = Object.keys(releases).flatMap((name) => (releases[name] && paths[name]) ?? []);
  return pageUrl(url, path);
}

function describeRequested({ requestedPaths }: DeployedDeployment): string | undefined {
  if (!requestedPaths) return undefined;
  const { rendered, changed } = requestedPaths;
  return `requested paths: ${String(rendered)} rendered, ${String(changed)} with other HTML`;
}

function describe({ deployment: { number, live, percent = 0, rollouts }, isNew }: Deployed): string {
  if (!isNew) return `deployment ${String(number)} already has these releases`;
  if (!live) {
    const own = rollouts.find((rollout) => rollout.deployment === number);
    const steps = own?.progress ? `; steps: ${own.progress.steps}` : "";
    return `${describeCandidate(number, percent)}${steps}
\`colonnade promote\` puts it live for all visitors, \`colonnade abort\` aborts the rollout`;
  }
  return `deployment ${String(number)} is live`;
}
