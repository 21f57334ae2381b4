// Steady load on a site over keep-alive connections: from wrk where it is installed, else from a thread of Node.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import http from "node:http";
import os from "node:os";
import path from "node:path";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";

const CONNECTIONS = 8;

/**
 * What a load came to.
 *
 * @typedef {{ by: string, perSecond: number, failed: number }} Load
 */

/**
 * Asks a site for these paths, one after the other, for as long as it is not stopped.
 *
 * @param {string} url
 * @param {string[]} paths
 * @returns {Promise<{ stop: () => Promise<Load> }>}
 */
export async function startLoad(url, paths) {
  const hasWrk = spawnSync("wrk", ["-v"]).error === undefined;
  return hasWrk ? startWrk(url, paths) : startThread(url, paths);
}

/** @param {string} url @param {string[]} paths */
async function startWrk(url, paths) {
  const folder = await mkdtemp(path.join(os.tmpdir(), "colonnade-wrk-"));
  const script = path.join(folder, "paths.lua");
  // What is valid JSON is a valid string of Lua here: a path of a URL holds nothing that either would escape.
  await writeFile(
    script,
    `local paths, at = { ${paths.map((one) => JSON.stringify(one)).join(", ")} }, 0
function request()
  at = at % #paths + 1
  return wrk.format("GET", paths[at])
end
`,
  );
  const options = ["--threads", "1", "--connections", String(CONNECTIONS), "--duration", "1h", "--script", script];
  const child = spawn("wrk", [...options, url], { stdio: ["ignore", "pipe", "inherit"] });
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text) => (output += text));
  const ended = once(child, "close");
  return {
    async stop() {
      child.kill("SIGINT");
      await ended;
      await rm(folder, { recursive: true });
      const [, perSecond = "NaN"] = /Requests\/sec:\s*([\d.]+)/.exec(output) ?? [];
      const [, answers = "0"] = /Non-2xx or 3xx responses: (\d+)/.exec(output) ?? [];
      const [, errors = ""] = /Socket errors: (.*)/.exec(output) ?? [];
      const failed = [answers, ...(errors.match(/\d+/g) ?? [])].reduce((sum, count) => sum + Number(count), 0);
      return { by: "wrk", perSecond: Number(perSecond), failed };
    },
  };
}

/** @param {string} url @param {string[]} paths */
async function startThread(url, paths) {
  const worker = new Worker(new URL(import.meta.url), { workerData: { url, paths } });
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

/** @param {string} url @param {string[]} paths */
function ask(url, paths) {
  const agent = new http.Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const start = performance.now();
  let [turn, answered, failed] = [0, 0, 0];
  function next() {
    const request = http.get(url + paths[turn++ % paths.length], { agent }, (response) => {
      if (response.statusCode !== 200) failed += 1;
      response.resume().on("end", () => {
        answered += 1;
        next();
      });
    });
    request.on("error", () => {
      failed += 1;
      next();
    });
  }
  for (let connection = 0; connection < CONNECTIONS; connection += 1) next();
  parentPort?.on("message", () => {
    const seconds = (performance.now() - start) / 1000;
    parentPort?.postMessage({ by: "Node", perSecond: answered / seconds, failed });
  });
}

if (!isMainThread) ask(workerData.url, workerData.paths);
