// CPU time and memory of processes, from Linux's /proc.
import { spawnSync } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";

/** The clock ticks per second of `/proc` (USER_HZ). */
const TICKS = 100;

/**
 * Moves this process to a core, if `taskset` is installed. Processes that it starts from now on stay there, too.
 *
 * @param {number} core
 */
export function pin(core) {
  spawnSync("taskset", ["--all-tasks", "--cpu-list", "--pid", String(core), String(process.pid)]);
}

/** Reads a file of each thread. @param {number} pid @param {string} file */
async function readThreads(pid, file) {
  const folder = `/proc/${pid}/task`;
  const threads = await readdir(folder);
  // A thread may exit meanwhile.
  return Promise.all(threads.map((thread) => readFile(`${folder}/${thread}/${file}`, "utf8").catch(() => "")));
}

/**
 * Returns the child processes: a gateway's render workers.
 *
 * @param {number} pid
 * @returns {Promise<number[]>}
 */
export async function childrenOf(pid) {
  return (await readThreads(pid, "children")).join(" ").trim().split(/\s+/).filter(Boolean).map(Number);
}

/** Returns a process and all its descendants. @param {number} pid @returns {Promise<number[]>} */
export async function treeOf(pid) {
  const trees = await Promise.all((await childrenOf(pid)).map(treeOf));
  return [pid, ...trees.flat()];
}

/**
 * Returns the CPU time of a process so far, in seconds, in steps of 10 ms.
 *
 * @param {number} pid
 * @returns {Promise<{ user: number, kernel: number }>}
 */
export async function userAndKernelTime(pid) {
  const fields = (await readFile(`/proc/${pid}/stat`, "utf8")).replace(/^.*\) /s, "").split(" ");
  return { user: Number(fields[11]) / TICKS, kernel: Number(fields[12]) / TICKS };
}

/** Returns the CPU time of a process's live threads so far, in milliseconds. @param {number} pid */
export async function cpuTime(pid) {
  const times = (await readThreads(pid, "schedstat")).map((text) => Number(text.split(" ")[0]));
  return times.reduce((sum, nanoseconds) => sum + nanoseconds, 0) / 1e6;
}

/** The share of a core that a process may use while it waits: Pingora has a timer of 10 ms. */
const IDLE_SHARE = 0.01;
const POLL_MILLISECONDS = 20;

/** Waits until a process is idle. @param {number} pid */
export async function waitUntilIdle(pid) {
  for (let before = -Infinity; ;) {
    const now = await cpuTime(pid);
    const states = (await readThreads(pid, "stat")).map((text) => text.replace(/^.*\) /s, "")[0]);
    if (now - before <= IDLE_SHARE * POLL_MILLISECONDS && states.every((state) => state === "S")) return;
    before = now;
    await sleep(POLL_MILLISECONDS);
  }
}

/** Returns the memory of a process in MB, with shared pages divided by their users (PSS). @param {number} pid */
export async function memoryOf(pid) {
  const text = await readFile(`/proc/${pid}/smaps_rollup`, "utf8");
  return (Number(/^Pss:\s+(\d+) kB/m.exec(text)?.[1]) * 1024) / 1e6;
}
