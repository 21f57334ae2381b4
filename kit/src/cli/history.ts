import { callAdmin } from "./api.js";
import { remoteCommand } from "./command.js";
import { wholeNumber } from "./options.js";
import { columns, instant, NONE } from "./table.js";

/** A change of what visitors see. */
interface Change {
  readonly revision: number;
  readonly at: string;
  /** Name of the token. */
  readonly by: string;
  readonly action: string;
  readonly live: number | null;
  readonly candidate?: number | null;
  readonly percent?: number | null;
  readonly sections?: Readonly<Record<string, { readonly from: string | null; readonly to: string | null }>>;
  readonly reason?: string | null;
}

interface History {
  /** Newest first. */
  readonly entries: readonly Change[];
  /** The revision before which the next page ends. */
  readonly next: number | null;
}

/** `section history` */
export const historyCommand = remoteCommand({
  name: "history",
  summary: "show who changed what, when and why",
  description: `Shows every change of what visitors see, newest first: who made it, when and why, what
was live and which was the candidate after it, and which releases took whose place.`,
  options: {
    limit: {
      value: "<number>",
      summary: "how many changes (20)",
      read: wholeNumber("a number of changes", 1, 500),
    },
    before: {
      value: "<revision>",
      summary: "only changes before this one",
      read: wholeNumber("the revision of a change", 1, Number.MAX_SAFE_INTEGER),
    },
  },
  async run({ access, values: { limit = 20, before } }) {
    const query = new URLSearchParams({
      limit: String(limit),
      ...(before !== undefined && { before: String(before) }),
    });
    const { body } = await callAdmin<History>(access, "GET", `/api/v1/history?${query.toString()}`);
    return { text: describe(body), data: body };
  },
});

function describe({ entries, next }: History): string {
  if (entries.length === 0) return "no changes";
  const rows = entries.map((change) => [
    String(change.revision),
    instant(change.at),
    change.by,
    change.action,
    change.live === null ? NONE : String(change.live),
    candidateOf(change),
    change.reason ?? NONE,
    sectionsOf(change),
  ]);
  const table = columns([["revision", "when", "by", "action", "live", "candidate", "reason", "sections"], ...rows]);
  return next === null ? table : `${table}\n\nearlier: section history --before ${String(next)}`;
}

function candidateOf({ candidate, percent }: Change): string {
  if (candidate === undefined || candidate === null) return NONE;
  return percent === undefined || percent === null ? String(candidate) : `${String(candidate)} for ${String(percent)}%`;
}

function sectionsOf({ sections = {} }: Change): string {
  const changes = Object.entries(sections).map(([name, { from, to }]) => {
    if (to === null) return `${name} ${from ?? NONE} out`;
    return from === null ? `${name} in ${to}` : `${name} ${from} to ${to}`;
  });
  return changes.length > 0 ? changes.join(", ") : NONE;
}
