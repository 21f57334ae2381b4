// Runs h2load, which generates HTTP/2 load, and load with a fixed number of requests per second, and reads its report.
import { mkdtemp, readFile, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";

import { run } from "./command.mjs";
import { quantile } from "./report.mjs";

/** Reads the report of h2load. @param {string} output @returns {{ requests: number, failed: number, protocol: string }} */
export function parseH2load(output) {
  const [, requests = "NaN", failed = "NaN"] = /^requests: .* (\d+) done, .* (\d+) failed,/m.exec(output) ?? [];
  const [, ...statuses] = /^status codes: \d+ 2xx, (\d+) 3xx, (\d+) 4xx, (\d+) 5xx/m.exec(output) ?? [];
  const [, protocol = "none"] = /^Application protocol: (\S+)/m.exec(output) ?? [];
  const total = [failed, ...statuses].reduce((sum, count) => sum + Number(count), 0);
  return { requests: Number(requests), failed: total, protocol };
}

/** How long connections are opened, in seconds. Requests wait for the TLS handshakes of other connections. */
const OPENING = 1;

/**
 * Reads the times of responses, in milliseconds, from a log of h2load. Leaves out the requests of the first second.
 *
 * @param {string} log
 * @returns {number[]}
 */
export function parseTimes(log) {
  const lines = log.trimEnd().split("\n");
  const requests = lines.map((line) => line.split("\t").map(Number));
  const start = requests.reduce((first, [sent = NaN]) => Math.min(first, sent), Infinity);
  const measured = requests.filter(([sent = NaN]) => sent >= start + OPENING * 1e6);
  return measured.map(([, , microseconds = NaN]) => microseconds / 1000);
}

/**
 * Requests one URL for some seconds.
 *
 * @param {string} url
 * @param {object} options
 * @param {number} options.seconds
 * @param {number} options.clients connections
 * @param {number} [options.streams] requests in flight of a connection
 * @param {number} [options.perSecond] requests per second of a connection (default: as many as possible)
 * @param {boolean} [options.isHttp1] HTTP/1.1 instead of HTTP/2
 * @param {Record<string, string>} options.headers
 */
export function h2loadCommand(url, { seconds, clients, streams = 1, perSecond, isHttp1 = false, headers }) {
  return [
    ...["h2load", "--threads", "1", "--clients", String(clients), "--duration", String(seconds)],
    ...(isHttp1 ? ["--h1"] : ["--max-concurrent-streams", String(streams)]),
    ...(perSecond ? ["--rps", String(perSecond)] : []),
    ...Object.entries(headers).flatMap(([name, value]) => ["--header", `${name}: ${value}`]),
    url,
  ];
}

/** @param {string[]} command of `h2loadCommand` */
export async function runH2load(command) {
  return parseH2load(await run(command));
}

/** Returns times of responses, in milliseconds. @param {string[]} command of `h2loadCommand` */
export async function measureTimes([program = "", ...parameters]) {
  const folder = await mkdtemp(path.join(os.tmpdir(), "colonnade-h2load-"));
  const file = path.join(folder, "log");
  try {
    const { requests, failed } = await runH2load([program, `--log-file=${file}`, ...parameters]);
    const times = parseTimes(await readFile(file, "utf8"));
    return { requests, failed, median: quantile(times, 0.5), p99: quantile(times, 0.99) };
  } finally {
    await rm(folder, { recursive: true });
  }
}
