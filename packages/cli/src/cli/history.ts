import type { CommandUnknownOpts } from "@commander-js/extra-typings";

import { adminAccess, callAdmin } from "./api.js";
import type { CommandContext } from "./context.js";
import { wholeNumber } from "./options.js";
import { shortCommit, type ReleaseSource } from "./source.js";
import { EMPTY_CELL, formatTable, formatTime } from "./table.js";

type Sources = Readonly<Record<string, ReleaseSource | undefined>>;

/** A change of the live deployment or of a rollout. */
export interface HistoryEntry {
  readonly revision: number;
  readonly at: string;
  /** Name of the token. */
  readonly by: string;
  readonly action: string;
  readonly live: number | null;
  readonly candidate?: number | null;
  readonly percent?: number | null;
  /** Whether the change paused the rollout, or resumed it. */
  readonly paused?: boolean;
  readonly sections?: Readonly<Record<string, { readonly from: string | null; readonly to: string | null }>>;
  /** The extension that was switched on or off. */
  readonly extension?: { readonly section: string; readonly point: string };
  readonly reason?: string | null;
}

interface HistoryPage {
  /** Where releases come from, by `name@version`. An older gateway has none. */
  readonly sources?: Sources;
  /** Newest first. */
  readonly entries: readonly HistoryEntry[];
  /** Value of `before` for the next page. */
  readonly next: number | null;
}

/** Adds `colonnade history`. */
export function addHistoryCommand(program: CommandUnknownOpts, { environment, printResult }: CommandContext): void {
  program
    .command("history")
    .summary("show who changed what, when and why")
    .description(
      "Shows every change of the live deployment and of rollouts, newest first: who made it, when and why, the live " +
        "deployment after it, its candidate, and the replaced releases with the commits of the new ones.",
    )
    .option("--limit <number>", "maximum number of changes, 1 to 500", wholeNumber("a number of changes", 1, 500), 20)
    .option(
      "--before <revision>",
      "only changes before this revision",
      wholeNumber("a revision number", 1, Number.MAX_SAFE_INTEGER),
    )
    .option("--section <name>", "only changes that concern this section")
    .action(async ({ limit, before, section }) => {
      const query = new URLSearchParams({
        limit: String(limit),
        ...(before !== undefined && { before: String(before) }),
        ...(section !== undefined && { section }),
      });
      const path = `/api/v1/history?${query.toString()}`;
      const { body } = await callAdmin<HistoryPage>(await adminAccess(environment), "GET", path);
      printResult({ text: describe(body, section), data: body });
    });
}

function describe({ entries, sources, next }: HistoryPage, section?: string): string {
  const filter = section === undefined ? "" : ` --section ${section}`;
  const older = next === null ? "" : `\n\nolder changes: colonnade history${filter} --before ${String(next)}`;
  if (entries.length === 0) {
    if (section === undefined) return `no changes${older}`;
    return `no changes of ${section}${next === null ? "" : " in this part of the history"}${older}`;
  }
  const rows = entries.map((entry) => [
    String(entry.revision),
    formatTime(entry.at),
    entry.by,
    describeAction(entry),
    entry.live === null ? EMPTY_CELL : String(entry.live),
    describeCandidate(entry),
    entry.reason ?? EMPTY_CELL,
    describeSections(entry, sources),
  ]);
  const table = formatTable([["revision", "time", "by", "action", "live", "candidate", "reason", "sections"], ...rows]);
  return `${table}${older}`;
}

/** Names the action of an entry. */
export function describeAction({ action, paused }: HistoryEntry): string {
  if (paused === undefined) return action;
  return paused ? "pause" : "resume";
}

function describeCandidate({ live, candidate, percent }: HistoryEntry): string {
  // After a promotion the candidate is live.
  if (candidate === undefined || candidate === null || candidate === live) return EMPTY_CELL;
  return percent === undefined || percent === null ? String(candidate) : `${String(candidate)} for ${String(percent)}%`;
}

/** Describes the release changes of an entry, with the commits of new releases, or its extension. */
export function describeSections({ sections = {}, extension }: HistoryEntry, sources: Sources = {}): string {
  if (extension) return `${extension.section} in ${extension.point}`;
  const changes = Object.entries(sections).map(([name, { from, to }]) => {
    if (to === null) return `${name} ${from ?? EMPTY_CELL} removed`;
    const source = sources[`${name}@${to}`];
    const commit = source?.commit === undefined ? "" : ` (${shortCommit(source)})`;
    return from === null ? `${name} ${to} added${commit}` : `${name} ${from} to ${to}${commit}`;
  });
  return changes.length > 0 ? changes.join(", ") : EMPTY_CELL;
}
