import type { CommandUnknownOpts } from "@commander-js/extra-typings";

import { adminAccess, callAdmin } from "./api.js";
import type { CommandContext } from "./context.js";
import { wholeNumber } from "./options.js";
import { EMPTY_CELL, formatTable, formatTime } from "./table.js";

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
        "deployment after it, its candidate, and the replaced releases.",
    )
    .option("--limit <number>", "maximum number of changes, 1 to 500", wholeNumber("a number of changes", 1, 500), 20)
    .option(
      "--before <revision>",
      "only changes before this revision",
      wholeNumber("a revision number", 1, Number.MAX_SAFE_INTEGER),
    )
    .option("--section <name>", "only changes of this section, among these")
    .action(async ({ limit, before, section }) => {
      const query = new URLSearchParams({
        limit: String(limit),
        ...(before !== undefined && { before: String(before) }),
      });
      const path = `/api/v1/history?${query.toString()}`;
      const { body } = await callAdmin<HistoryPage>(adminAccess(environment), "GET", path);
      const page = section === undefined ? body : { ...body, entries: changesOf(section, body.entries) };
      printResult({ text: describe(page, section), data: page });
    });
}

// The admin API has no filter.
function changesOf(section: string, entries: readonly HistoryEntry[]): HistoryEntry[] {
  return entries.filter(
    ({ sections = {}, extension }) =>
      Object.hasOwn(sections, section) ||
      extension?.section === section ||
      extension?.point.startsWith(`${section}/`) === true,
  );
}

function describe({ entries, next }: HistoryPage, section?: string): string {
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
    describeSections(entry),
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

/** Describes the release changes of an entry, or its extension. */
export function describeSections({ sections = {}, extension }: HistoryEntry): string {
  if (extension) return `${extension.section} in ${extension.point}`;
  const changes = Object.entries(sections).map(([name, { from, to }]) => {
    if (to === null) return `${name} ${from ?? EMPTY_CELL} removed`;
    return from === null ? `${name} ${to} added` : `${name} ${from} to ${to}`;
  });
  return changes.length > 0 ? changes.join(", ") : EMPTY_CELL;
}
