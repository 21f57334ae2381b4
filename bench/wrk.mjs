// Runs wrk, which generates HTTP/1.1 load, and reads its report.
import { run } from "./command.mjs";

/** @typedef {{ requests: number, failed: number }} Load the result of a load run */

/** Reads the report of wrk. @param {string} output @returns {Load} */
export function parseWrk(output) {
  const [, requests = "NaN"] = /(\d+) requests in/.exec(output) ?? [];
  const [, statuses = "0"] = /Non-2xx or 3xx responses: (\d+)/.exec(output) ?? [];
  const [, errors = ""] = /Socket errors: (.*)/.exec(output) ?? [];
  const failed = [statuses, ...(errors.match(/\d+/g) ?? [])].reduce((sum, count) => sum + Number(count), 0);
  return { requests: Number(requests), failed };
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
