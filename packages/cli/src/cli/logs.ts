import type { CommandUnknownOpts } from "@commander-js/extra-typings";

import { adminAccess, callAdmin, locateAt, type AdminAccess } from "./api.js";
import type { CommandContext, CommandResult } from "./context.js";
import { describeAction, describeSections, type HistoryEntry } from "./history.js";
import { locateErrors, type Locate } from "./locate.js";
import { isJson } from "./options.js";
import { namedSection } from "./sectionName.js";
import { formatTime } from "./table.js";
import { retryWarning, untilInterrupted, watch } from "./watch.js";

/** An entry of the section log. */
interface LogEntry {
  /** Increases with every entry. */
  readonly id: number;
  readonly at: string;
  readonly kind: "published" | "publish-rejected" | "trial-started" | "trial-passed" | "trial-failed" | "changed";
  readonly release?: string;
  /** The action that a trial render is part of. */
  readonly action?: "publish" | "deploy" | "preview";
  /** Name of the token. */
  readonly by?: string;
  readonly problems?: readonly string[];
  readonly change?: HistoryEntry;
}

interface LogResult extends CommandResult {
  readonly entries: readonly LogEntry[];
}

// The gateway responds after this time even without an entry, so that a broken connection is noticed.
const WAIT_SECONDS = 20;
// Delay before the next request, which limits the load on a gateway that restarts.
const INTERVAL_MS = 500;

/** Adds `colonnade logs`. */
export function addLogsCommand(program: CommandUnknownOpts, context: CommandContext): void {
  const { folder, environment, stderr, printResult } = context;
  program
    .command("logs")
    .summary("show publishes, trial renders and deploys of a section")
    .description(
      "Shows the log of the section in this folder: publishes and rejected publishes, trial renders with their errors, " +
        "deploys, rollouts, previews and rollbacks. Positions in errors are positions in your sources, if the release has " +
        "source maps. Each gateway has its own log, from its start.",
    )
    .option("--section <name>", "show the log of this section")
    .option("--follow", "wait for further entries, until interrupted (with --json: one line each)")
    .action(async ({ section, follow = false }) => {
      const access = await adminAccess(environment);
      const name = await namedSection(section, folder);
      const read = readerOf(access, name);
      const none = `no log entries of ${name} since this gateway started`;
      if (!follow) {
        const { text, data } = await read("");
        printResult({ text: text === "" ? none : text, data });
        return;
      }
      let last: number | undefined;
      const options = {
        read: async (signal: AbortSignal) => {
          const query = last === undefined ? "" : `?after=${String(last)}&wait=${String(WAIT_SECONDS)}`;
          const result = await read(query, signal);
          if (last === undefined && result.entries.length === 0 && !isJson(program)) stderr.write(`${none}; waiting\n`);
          last = result.entries.at(-1)?.id ?? last ?? 0;
          return result;
        },
        print: ({ entries }: LogResult) => {
          for (const entry of entries) printResult({ text: describe(entry), data: entry });
        },
        printError: retryWarning(stderr),
        repeatAfterError: false,
        intervalMs: INTERVAL_MS,
      };
      await untilInterrupted((signal) => watch(options, signal));
    });
}

/** Returns a function that reads a part of the log of a section. */
function readerOf(access: AdminAccess, section: string) {
  const locate = locateAt(access);
  return async (query: string, signal?: AbortSignal): Promise<LogResult> => {
    const path = `/api/v1/sections/${section}/logs${query}`;
    const { body } = await callAdmin<{ entries: readonly LogEntry[] }>(access, "GET", path, undefined, signal);
    const entries = await Promise.all(body.entries.map((entry) => locateProblems(locate, entry)));
    return { text: entries.map(describe).join("\n"), data: { entries }, entries };
  };
}

async function locateProblems(locate: Locate, entry: LogEntry): Promise<LogEntry> {
  return entry.problems ? { ...entry, problems: await locateErrors(locate, entry.problems) } : entry;
}

function describe({ at, kind, release = "", action, by = "", problems = [], change }: LogEntry): string {
  // A gateway of an earlier version does not name the action.
  const trial = `${release} trial render${action ? ` of the ${action}` : ""}`;
  const events = {
    published: `${release} was published by ${by}`,
    "publish-rejected": `${release} was rejected; published by ${by}`,
    "trial-started": `${trial} started`,
    "trial-passed": `${trial} passed`,
    "trial-failed": `${trial} failed`,
    changed: change ? describeChange(change) : "",
  };
  const lines = [`${formatTime(at)}  ${events[kind]}`, ...problems.map((problem) => `- ${problem}`)];
  return lines.join("\n").replaceAll("\n", "\n  ");
}

function describeChange(change: HistoryEntry): string {
  const { by, live, candidate, percent, reason } = change;
  const facts = [
    describeSections(change),
    live === null ? "" : `deployment ${String(live)} is live`,
    candidate === undefined || candidate === null ? "" : `candidate ${String(candidate)}`,
    percent === undefined || percent === null ? "" : `${String(percent)}% of visitors`,
    reason ?? "",
  ];
  return `${describeAction(change)} by ${by}: ${facts.filter((fact) => fact !== "" && fact !== "-").join("; ")}`;
}
