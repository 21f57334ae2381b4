import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { availableParallelism } from "node:os";
import path from "node:path";
import { text } from "node:stream/consumers";

import type { CheckJob, Report } from "./report.js";

const RUNNER = path.join(import.meta.dirname, "runner.js");
// For what uses no CPU time, and for the system under heavy load. The watchdog in the process reacts much sooner.
const WALL_LIMIT = 600_000;

/** Runs a job in a child process, and returns what it reports. */
export async function runJob(job: CheckJob): Promise<Report[]> {
  const child = spawn(process.execPath, [RUNNER, JSON.stringify(job)], {
    env: {},
    stdio: ["ignore", "ignore", "pipe"],
    timeout: WALL_LIMIT,
    killSignal: "SIGKILL",
  });
  const [err] = await Promise.all([text(child.stderr), once(child, "close")]);
  const lines = await readFile(job.reports, "utf8").catch(() => "");
  const reports = lines.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line) as Report]));
  const isComplete = job.pattern === null ? child.exitCode === 0 : reports.length > 0;
  if (child.exitCode !== 0 || !isComplete) {
    if (!reports.some(({ kind }) => kind === "timeout")) reports.push(crashOf(job, child.signalCode, err));
  }
  return reports;
}

function crashOf({ pattern }: CheckJob, signal: NodeJS.Signals | null, err: string): Report {
  const step = pattern === null ? "loading the section" : `checking the page ${pattern}`;
  const message = /heap out of memory|allocation failed/i.test(err)
    ? "the process ran out of memory"
    : signal === "SIGKILL"
      ? `the process was stopped after ${String(WALL_LIMIT / 1000)} seconds`
      : `the process ended unexpectedly\n${err}`.trimEnd();
  return { kind: "thrown", step, error: { name: "Error", message }, stack: "" };
}

/** Calls `action` for each item, for as many at a time as there are processors. The results are in the order of the items. */
export async function inParallel<Item, Result>(
  items: readonly Item[],
  action: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const queue = items.entries();
  const work = async (): Promise<void> => {
    for (const [index, item] of queue) results[index] = await action(item);
  };
  await Promise.all(Array.from({ length: availableParallelism() }, work));
  return results;
}
