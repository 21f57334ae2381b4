// Generates constant load over keep-alive connections with wrk if installed, otherwise with a Node.js worker thread.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import http from "node:http";
import os from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";

import { hasWrk, parseWrk } from "./wrk.mjs";

const CONNECTIONS = 8;

/** @typedef {import("./wrk.mjs").Load & { generator: string }} Load */

/**
 * Requests the paths of a site in turn until stopped: with GET, or with POST if there is a body.
 *
 * @param {string} url
 * @param {string[]} paths
 * @param {Record<string, string>} [headers]
 * @param {string} [body]
 * @returns {Promise<{ stop: () => Promise<Load> }>}
 */
export async function startLoad(url, paths, headers = {}, body) {
  return hasWrk() ? startWrk(url, paths, headers, body) : startThread(url, paths, headers, body);
}

/** Runs the load for a duration. @param {number} seconds @param {Parameters<typeof startLoad>} load @returns {Promise<Load>} */
export async function loadFor(seconds, ...load) {
  const { stop } = await startLoad(...load);
  await sleep(seconds * 1000);
  return stop();
}

/** @param {string} url @param {string[]} paths @param {Record<string, string>} headers @param {string} [body] */
async function startWrk(url, paths, headers, body) {
  const folder = await mkdtemp(path.join(os.tmpdir(), "colonnade-wrk-"));
  const script = path.join(folder, "paths.lua");
  const [method, content] = body === undefined ? ["GET", ""] : ["POST", `, nil, ${JSON.stringify(body)}`];
  // A JSON string is a valid Lua string here, because neither URL paths nor the bodies contain control characters.
  await writeFile(
    script,
    `local paths, at = { ${paths.map((path) => JSON.stringify(path)).join(", ")} }, 0
function request()
  at = at % #paths + 1
  return wrk.format("${method}", paths[at]${content})
end
`,
  );
  const options = ["--threads", "1", "--connections", String(CONNECTIONS), "--duration", "1h", "--script", script];
  const headerOptions = Object.entries(headers).flatMap(([name, value]) => ["--header", `${name}: ${value}`]);
  const child = spawn("wrk", [...options, ...headerOptions, "--latency", url], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text) => (output += text));
  const ended = once(child, "close");
  return {
    async stop() {
      child.kill("SIGINT");
      await ended;
      await rm(folder, { recursive: true });
      return { generator: "wrk", ...parseWrk(output) };
    },
  };
}

/** @param {string} url @param {string[]} paths @param {Record<string, string>} headers @param {string} [body] */
async function startThread(url, paths, headers, body) {
  const worker = new Worker(new URL(import.meta.url), { workerData: { url, paths, headers, body } });
  await once(worker, "online");
  return {
    async stop() {
      worker.postMessage("stop");
      const [load] = await once(worker, "message");
      await worker.terminate();
      return load;
    },
  };
}

/** @param {string} url @param {string[]} paths @param {Record<string, string>} headers @param {string} [body] */
function generateLoad(url, paths, headers, body) {
  const method = body === undefined ? "GET" : "POST";
  const agent = new http.Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const start = performance.now();
  let [turn, failed] = [0, 0];
  /** @type {number[]} */
  const times = [];
  function next() {
    const sent = performance.now();
    const target = url + paths[turn++ % paths.length];
    const request = http.request(target, { agent, headers, method }, (response) => {
      if (response.statusCode !== 200) failed += 1;
      response.resume().on("end", () => {
        times.push(performance.now() - sent);
        next();
      });
    });
    request.on("error", () => {
      failed += 1;
      next();
    });
    request.end(body);
  }
  for (let connection = 0; connection < CONNECTIONS; connection += 1) next();
  parentPort?.on("message", () => {
    const seconds = (performance.now() - start) / 1000;
    const sorted = times.toSorted((a, b) => a - b);
    const [median, p99] = [0.5, 0.99].map((share) => sorted[Math.floor(share * sorted.length)]);
    const requests = times.length;
    parentPort?.postMessage({ generator: "Node.js", requests, perSecond: requests / seconds, failed, median, p99 });
  });
}

if (!isMainThread) generateLoad(workerData.url, workerData.paths, workerData.headers, workerData.body);
