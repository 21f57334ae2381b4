import type { CommandUnknownOpts } from "@commander-js/extra-typings";

import { GatewayError, UsageError } from "../build/usageError.js";
import { adminAccess, callAdmin, type AdminAccess } from "./api.js";
import type { CommandContext, CommandResult } from "./context.js";
import { describeStep, readDeployments, rolloutSections, type Deployments, type Rollout } from "./deployments.js";
import { isJson } from "./options.js";
import { shortCommit, type ReleaseSource } from "./source.js";
import { EMPTY_CELL, formatTable, formatTime } from "./table.js";
import { watchResult } from "./watch.js";

interface ListedRelease {
  readonly version: string;
  readonly publishedAt: string;
  /** Name of the token that published it. */
  readonly by: string;
  readonly source?: ReleaseSource;
}

interface ListedSection {
  readonly name: string;
  readonly kind: "section" | "shell";
  readonly live: string | null;
  readonly candidate: string | null;
  readonly releases: readonly ListedRelease[];
  /** Use of the section's quota. An older gateway has none. */
  readonly usage?: SectionUsage;
}

interface GatewayDescription {
  /** The releases that visitors should get, but that are missing or damaged. */
  readonly unavailable: readonly string[];
  /** What live releases read, but the configuration lacks or has with another type. */
  readonly settingProblems: readonly string[];
  /** Extensions that no page shows, and why. */
  readonly leftOutExtensions: readonly string[];
}

interface SectionUsage {
  readonly storedBytes: number;
  readonly maxStoredBytes: number;
  /** Releases that were published within 24 hours. */
  readonly publishes: number;
  readonly maxPublishesPerDay: number;
}

/** Adds `colonnade status`. */
export function addStatusCommand(program: CommandUnknownOpts, context: CommandContext): void {
  const { environment, printResult } = context;
  program
    .command("status")
    .summary("show the live deployment, the rollouts and the newest releases")
    .description(
      "Shows the live deployment, all rollouts with their share of visitors, step, canary analysis and who started them, and " +
        "for each section the live release with its commit, the release that is being rolled out, the newest published release with its commit and author, and the use of " +
        "its quota: what it stores, and its publishes of the last 24 hours. Names the releases that are missing or damaged, " +
        "the settings that live releases read but the site lacks, and the extensions that no page shows.",
    )
    .option("--section <name>", "only this section and its rollout")
    .option("--watch", "show the status again whenever it changes, until interrupted (with --json: one line each)")
    .action(async ({ section, watch: isWatching = false }) => {
      const access = await adminAccess(environment);
      if (!isWatching) {
        printResult(await readStatus(access, section));
        return;
      }
      await watchResult(context, isJson(program), (signal) => readStatus(access, section, signal));
    });
}

async function readStatus(access: AdminAccess, name?: string, signal?: AbortSignal): Promise<CommandResult> {
  const [deployments, { body: allSections }, { body: gateway }] = await Promise.all([
    readDeployments(access, signal),
    callAdmin<ListedSection[]>(access, "GET", "/api/v1/sections", undefined, signal),
    callAdmin<GatewayDescription>(access, "GET", "/api/v1/gateway", undefined, signal),
  ]);
  const { live } = deployments;
  const allRollouts = await readRollouts(deployments, access, signal);
  const sections = allSections.filter((section) => name === undefined || section.name === name);
  const rollouts = allRollouts.filter((rollout) => name === undefined || Object.hasOwn(rollout.sections, name));
  if (name !== undefined && sections.length === 0) throw new UsageError(`no release of \`${name}\` is published`);
  const tables = [
    ...(rollouts.length > 0 ? [rolloutTable(rollouts)] : []),
    ...(sections.length > 0 ? [sectionTable(sections)] : []),
  ];
  const liveText = live === null ? "no deployment is live" : `deployment ${String(live)} is live`;
  const { unavailable, settingProblems, leftOutExtensions } = gateway;
  const lost = unavailable.map((release) => `${release} is missing or damaged: visitors do not get the section`);
  const lines = [liveText, ...lost, ...settingProblems, ...leftOutExtensions];
  const text = [lines.join("\n"), ...tables].join("\n\n");
  return { text, data: { live, rollouts, sections, unavailable, settingProblems, leftOutExtensions } };
}

/** Reads the rollouts with their analysis. An older gateway has none. */
async function readRollouts(
  { rollouts }: Deployments,
  access: AdminAccess,
  signal?: AbortSignal,
): Promise<readonly Rollout[]> {
  if (rollouts.length === 0) return rollouts;
  try {
    return (await callAdmin<Rollout[]>(access, "GET", "/api/v1/rollouts", undefined, signal)).body;
  } catch (error) {
    if (error instanceof GatewayError && error.kind === "rejected") return rollouts;
    throw error;
  }
}

function rolloutTable(rollouts: readonly Rollout[]): string {
  const rows = rollouts.map((rollout) => [
    rolloutSections(rollout),
    String(rollout.deployment),
    `${String(rollout.percent)}%`,
    describeStep(rollout) ?? EMPTY_CELL,
    rollout.analysis?.verdict.replaceAll("-", " ") ?? EMPTY_CELL,
    rollout.by,
    formatTime(rollout.startedAt),
  ]);
  const table = formatTable([
    ["rollout of", "candidate", "visitors", "step", "analysis", "started by", "started"],
    ...rows,
  ]);
  const summaries = rollouts.flatMap((rollout) =>
    rollout.analysis ? [`${rolloutSections(rollout)}: ${rollout.analysis.summary}`] : [],
  );
  return summaries.length > 0 ? `${table}\n\n${summaries.join("\n")}` : table;
}

function sectionTable(sections: readonly ListedSection[]): string {
  const rows = sections.map(({ name, live, candidate, releases, usage }) => {
    const newest = newestOf(releases);
    return [
      name,
      live ?? EMPTY_CELL,
      shortCommit(releases.find(({ version }) => version === live)?.source),
      candidate ?? EMPTY_CELL,
      newest?.version ?? EMPTY_CELL,
      newest ? formatTime(newest.publishedAt) : EMPTY_CELL,
      shortCommit(newest?.source),
      newest?.source?.author ?? EMPTY_CELL,
      usage ? `${mebibytes(usage.storedBytes)} of ${mebibytes(usage.maxStoredBytes)} MiB` : EMPTY_CELL,
      usage ? `${String(usage.publishes)} of ${String(usage.maxPublishesPerDay)}` : EMPTY_CELL,
    ];
  });
  const header = [
    "section",
    "live",
    "live commit",
    "candidate",
    "newest release",
    "published",
    "commit",
    "author",
    "stored",
    "publishes in 24 h",
  ];
  return formatTable([header, ...rows]);
}

function mebibytes(bytes: number): string {
  return String(Math.ceil(bytes / 1024 / 1024));
}

function newestOf(releases: readonly ListedRelease[]): ListedRelease | undefined {
  const time = ({ publishedAt }: ListedRelease): number => Date.parse(publishedAt);
  return releases.reduce<ListedRelease | undefined>(
    (newest, release) => (newest && time(newest) > time(release) ? newest : release),
    undefined,
  );
}
