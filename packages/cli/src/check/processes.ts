import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readFile, rm } from "node:fs/promises";
import { availableParallelism } from "node:os";
import path from "node:path";
import { text } from "node:stream/consumers";

import type { CheckJob, CheckTask, Report } from "./report.js";

const RUNNER = path.join(import.meta.dirname, "runner.js");
// For what uses no CPU time, and for the system under heavy load. The watchdog in the process reacts much sooner.
const WALL_LIMIT = 600_000;
/** The time in milliseconds in which a process starts. */
const START_TIME = 200;

interface RunnerProcess {
  readonly child: ChildProcess;
  /** File with the reports of the current task. */
  readonly reports: string;
  /** Resolves with what the process wrote to stderr, when it has ended. */
  readonly ended: Promise<string>;
}

/** Runs the tasks of a check in child processes. A process runs one task after another; a task can end it. */
export class CheckProcesses {
  readonly #job: Omit<CheckJob, "reports">;
  readonly #folder: string;
  readonly #idle: RunnerProcess[] = [];
  #started = 0;

  /** `folder` receives the reports. */
  constructor(folder: string, job: Omit<CheckJob, "reports">) {
    this.#folder = folder;
    this.#job = job;
  }

  /** Runs a task, and returns what it reports. */
  async run(task: CheckTask): Promise<Report[]> {
    const runner = this.#idle.pop() ?? this.#start();
    const { child, reports, ended } = runner;
    const timer = setTimeout(() => child.kill("SIGKILL"), WALL_LIMIT);
    child.send(task);
    const done = once(child, "message").then(() => undefined);
    const err = await Promise.race([done, ended]);
    clearTimeout(timer);
    const lines = await readFile(reports, "utf8").catch(() => "");
    await rm(reports, { force: true });
    const found = lines.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line) as Report]));
    if (err === undefined) this.#idle.push(runner);
    else if (!found.some(({ kind }) => kind === "timeout")) found.push(crashOf(task, child.signalCode, err));
    return found;
  }

  #start(): RunnerProcess {
    this.#started += 1;
    const reports = path.join(this.#folder, `${String(this.#started)}.jsonl`);
    const child = fork(RUNNER, [JSON.stringify({ ...this.#job, reports } satisfies CheckJob)], {
      env: {},
      execArgv: [],
      stdio: ["ignore", "ignore", "pipe", "ipc"],
    });
    const err = child.stderr ? text(child.stderr) : Promise.resolve("");
    return { child, reports, ended: once(child, "exit").then(() => err) };
  }

  /** Ends the processes. */
  async close(): Promise<void> {
    for (const { child } of this.#idle) child.disconnect();
    await Promise.all(this.#idle.map(({ ended }) => ended));
  }
}

function crashOf({ pattern, extension }: CheckTask, signal: NodeJS.Signals | null, err: string): Report {
  const checked = extension ? `the extension ${extension.point}` : pattern === null ? undefined : `the page ${pattern}`;
  const step = checked === undefined ? "loading the section" : `checking ${checked}`;
  const message = /heap out of memory|allocation failed/i.test(err)
    ? "the process ran out of memory"
    : signal === "SIGKILL"
      ? `the process was stopped after ${String(WALL_LIMIT / 1000)} seconds`
      : `the process ended unexpectedly\n${err}`.trimEnd();
  return { kind: "thrown", step, error: { name: "Error", message }, stack: "" };
}

/**
 * Calls `action` for each item, for at most as many at a time as there are processors. The results are in the order of the
 * items. Another item begins at the same time only if the items take longer than the start of a process.
 */
export async function inParallel<Item, Result>(
  items: readonly Item[],
  action: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const queue = items.entries();
  const work = async (): Promise<void> => {
    for (const [index, item] of queue) results[index] = await action(item);
  };
  const workers = [work()];
  const timer = setInterval(() => {
    if (workers.length < availableParallelism()) workers.push(work());
  }, START_TIME);
  try {
    await workers[0];
  } finally {
    clearInterval(timer);
  }
  await Promise.all(workers);
  return results;
}
