// What processes have used, as Linux counts it.
import { readdir, readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";

/** @param {number} pid @param {string} file of each of its threads */
async function readThreads(pid, file) {
  const folder = `/proc/${pid}/task`;
  const threads = await readdir(folder);
  // One may end meanwhile.
  return Promise.all(threads.map((thread) => readFile(`${folder}/${thread}/${file}`, "utf8").catch(() => "")));
}

/**
 * The children of a process: a gateway's render workers.
 *
 * @param {number} pid
 * @returns {Promise<number[]>}
 */
export async function childrenOf(pid) {
  return (await readThreads(pid, "children")).join(" ").trim().split(/\s+/).filter(Boolean).map(Number);
}

/** The CPU time of a process so far, of those of its threads that are still there, in milliseconds. @param {number} pid */
export async function cpuTime(pid) {
  const times = (await readThreads(pid, "schedstat")).map((text) => Number(text.split(" ")[0]));
  return times.reduce((sum, nanoseconds) => sum + nanoseconds, 0) / 1e6;
}

/** Waits until a process has nothing to do. @param {number} pid */
export async function rest(pid) {
  for (let before = -1; ;) {
    const now = await cpuTime(pid);
    const states = (await readThreads(pid, "stat")).map((text) => text.replace(/^.*\) /s, "")[0]);
    if (now === before && states.every((state) => state === "S")) return;
    before = now;
    await sleep(20);
  }
}

/**
 * The memory of a process, in MB: all that it has in memory, and its share of it where others have the same.
 *
 * @param {number} pid
 * @returns {Promise<{ resident: number, share: number }>}
 */
export async function memoryOf(pid) {
  const text = await readFile(`/proc/${pid}/smaps_rollup`, "utf8");
  const read = (/** @type {string} */ name) =>
    (Number(new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(text)?.[1]) * 1024) / 1e6;
  return { resident: read("Rss"), share: read("Pss") };
}
