import type { CommandUnknownOpts } from "@commander-js/extra-typings";

import { adminAccess, callAdmin } from "./api.js";
import type { CommandContext } from "./context.js";
import { describeCandidate, readDeployments, type Deployments } from "./deployments.js";
import { EMPTY_CELL, formatTable, formatTime } from "./table.js";

interface ListedRelease {
  readonly version: string;
  readonly publishedAt: string;
  /** Name of the token that published it. */
  readonly by: string;
}

interface ListedSection {
  readonly name: string;
  readonly kind: "section" | "shell";
  readonly live: string | null;
  readonly candidate: string | null;
  readonly releases: readonly ListedRelease[];
}

/** Adds `section status`. */
export function addStatusCommand(program: CommandUnknownOpts, { environment, printResult }: CommandContext): void {
  program
    .command("status")
    .summary("show the live deployment, the candidate and the newest releases")
    .description(
      "Shows the live deployment, the candidate and its share of visitors, and for each section the live release, the " +
        "candidate's release and the newest published release.",
    )
    .action(async () => {
      const access = adminAccess(environment);
      const [{ live, rollout }, { body: sections }] = await Promise.all([
        readDeployments(access),
        callAdmin<ListedSection[]>(access, "GET", "/api/v1/sections"),
      ]);
      const text = [describe({ live, rollout }), ...(sections.length > 0 ? ["", sectionTable(sections)] : [])];
      printResult({ text: text.join("\n"), data: { live, rollout, sections } });
    });
}

function describe({ live, rollout }: Deployments): string {
  const liveText = live === null ? "no deployment is live" : `deployment ${String(live)} is live`;
  return rollout ? `${liveText}; ${describeCandidate(rollout.deployment, rollout.percent)}` : liveText;
}

function sectionTable(sections: readonly ListedSection[]): string {
  const rows = sections.map(({ name, live, candidate, releases }) => {
    const newest = newestOf(releases);
    return [
      name,
      live ?? EMPTY_CELL,
      candidate ?? EMPTY_CELL,
      newest?.version ?? EMPTY_CELL,
      newest ? formatTime(newest.publishedAt) : EMPTY_CELL,
    ];
  });
  return formatTable([["section", "live", "candidate", "newest release", "published"], ...rows]);
}

function newestOf(releases: readonly ListedRelease[]): ListedRelease | undefined {
  const time = ({ publishedAt }: ListedRelease): number => Date.parse(publishedAt);
  return releases.reduce<ListedRelease | undefined>(
    (newest, release) => (newest && time(newest) > time(release) ? newest : release),
    undefined,
  );
}
