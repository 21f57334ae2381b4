// Runs wrk, which generates HTTP/1.1 load, and reads its report.
import { spawnSync } from "node:child_process";

import { run } from "./command.mjs";

const UNITS = /** @type {Record<string, number>} */ ({ us: 1e-3, ms: 1, s: 1e3, m: 6e4 });

/**
 * The result of a load run. `median` and `p99` are milliseconds from a request to the end of its response.
 *
 * @typedef {{ requests: number, perSecond: number, failed: number, median: number, p99: number }} Load
 */

/** Whether wrk is installed. */
export function hasWrk() {
  return spawnSync("wrk", ["-v"]).error === undefined;
}

/** Reads the report of `wrk --latency`. @param {string} output @returns {Load} */
export function parseWrk(output) {
  const [, requests = "NaN"] = /(\d+) requests in/.exec(output) ?? [];
  const [, perSecond = "NaN"] = /Requests\/sec:\s*([\d.]+)/.exec(output) ?? [];
  const [, statuses = "0"] = /Non-2xx or 3xx responses: (\d+)/.exec(output) ?? [];
  const [, errors = ""] = /Socket errors: (.*)/.exec(output) ?? [];
  const failed = [statuses, ...(errors.match(/\d+/g) ?? [])].reduce((sum, count) => sum + Number(count), 0);
  const [median = NaN, p99 = NaN] = ["50%", "99%"].map((share) => {
    const [, time, unit = ""] = new RegExp(`${share} +([\\d.]+)([a-z]+)`).exec(output) ?? [];
    return Number(time) * (UNITS[unit] ?? NaN);
  });
  return { requests: Number(requests), perSecond: Number(perSecond), failed, median, p99 };
}

/**
 * Requests one URL for some seconds.
 *
 * @param {string} url
 * @param {{ seconds: number, connections: number, headers: Record<string, string>, script?: string }} options
 *   `script`: a Lua file that changes the request
 */
export function wrkCommand(url, { seconds, connections, headers, script }) {
  return [
    ...["wrk", "--latency", "--threads", "1", "--connections", String(connections), "--duration", `${seconds}s`],
    ...Object.entries(headers).flatMap(([name, value]) => ["--header", `${name}: ${value}`]),
    ...(script ? ["--script", script] : []),
    url,
  ];
}

/** @param {string[]} command of `wrkCommand` @returns {Promise<Load>} */
export async function runWrk(command) {
  return parseWrk(await run(command));
}
