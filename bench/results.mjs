// Keeps the results of benchmarks until docs/benchmarks.md is written.
import { mkdir, readFile, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";

import { ROOT } from "../tests/support/repository.mjs";
import { firstLine } from "./command.mjs";

const FOLDER = path.join(ROOT, "target/bench");

/** Describes the machine and the software that every benchmark uses. */
async function describeRun() {
  const cpus = os.cpus();
  return {
    date: new Date().toISOString().slice(0, 10),
    machine: `${cpus.length} × ${cpus[0]?.model.trim()}, ${Math.round(os.totalmem() / 2 ** 30)} GiB of memory`,
    system: `${os.type()} ${os.release()}`,
    // Above 1, other processes used the machine, too.
    load: os.loadavg()[0]?.toFixed(1) ?? "",
    commit: firstLine(["git", "describe", "--always", "--dirty"]) ?? "",
    compiler: firstLine(["rustc", "--version"]) ?? "",
  };
}

/** @typedef {Awaited<ReturnType<typeof describeRun>>} Run */

/**
 * Describes a run before it starts: its own work is not in the load of the machine.
 *
 * @template T
 * @param {string} name
 * @param {() => Promise<T>} measure
 * @returns {Promise<T & { run: Run }>}
 */
export async function keepResult(name, measure) {
  const run = await describeRun();
  const result = { run, ...(await measure()) };
  await mkdir(FOLDER, { recursive: true });
  await writeFile(path.join(FOLDER, `${name}.json`), JSON.stringify(result, undefined, 1));
  return result;
}

/** Reads the last result, or undefined if there is none. @param {string} name */
export async function readResult(name) {
  const text = await readFile(path.join(FOLDER, `${name}.json`), "utf8").catch(() => "null");
  return JSON.parse(text) ?? undefined;
}
