// Measures the slowest request with and without an upgrade of the gateway. See bench/README.md.
import http from "node:http";
import net from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

import { startSite } from "../tests/support/site.mjs";
import { median, printRow } from "./report.mjs";

const ROUNDS = Number(process.env["ROUNDS"] ?? 5);
const SECONDS = Number(process.env["SECONDS"] ?? 6);
const CONNECTIONS = 4;
const PAGES = ["/", "/state/California", "/city/Texas/Austin", "/terms"];

/**
 * Requests pages until stopped, over connections that stay open and over new ones.
 *
 * @param {string} url
 */
function startVisitors(url) {
  let [isStopped, failed, turn] = [false, 0, 0];
  /** @type {number[]} */
  const times = [];
  /** @param {http.Agent} agent @returns {Promise<void>} */
  const request = (agent) =>
    new Promise((resolve) => {
      const sent = performance.now();
      const fail = () => {
        failed += 1;
        resolve();
      };
      const page = PAGES[turn++ % PAGES.length] ?? "/";
      http
        .get(url + page, { agent }, (response) => {
          if (response.statusCode !== 200) failed += 1;
          response.resume().on("error", fail);
          response.on("end", () => {
            times.push(performance.now() - sent);
            resolve();
          });
        })
        .on("error", fail);
    });
  /** @param {boolean} keepAlive */
  async function visit(keepAlive) {
    const agent = new http.Agent({ keepAlive, maxSockets: 1 });
    while (!isStopped) await request(agent);
    agent.destroy();
  }
  const visitors = [true, false].flatMap((keepAlive) => Array.from({ length: CONNECTIONS }, () => visit(keepAlive)));
  return async () => {
    isStopped = true;
    await Promise.all(visitors);
    return { slowest: Math.max(...times), median: median(times), requests: times.length, failed };
  };
}

/** Sends a request whose body never arrives. @param {string} url @returns {Promise<net.Socket>} */
async function stall(url) {
  const { hostname, port } = new URL(url);
  const socket = net.connect(Number(port), hostname);
  socket.on("error", () => undefined);
  await new Promise((resolve) => socket.once("connect", resolve));
  const head = ["POST /_report HTTP/1.1", `host: ${hostname}:${port}`, "sec-fetch-site: same-origin"];
  socket.write([...head, "content-type: application/json", "content-length: 9", "", "{"].join("\r\n"));
  return socket;
}

/** Upgrades the gateway, and returns the process ID of the new one. @param {number} pid @returns {Promise<number>} */
async function upgrade(pid) {
  const { log } = site.gateway;
  const seen = log.length;
  process.kill(pid, "SIGUSR2");
  for (;;) {
    for (const line of log.slice(seen)) {
      const { event, pid: next, error } = JSON.parse(line);
      if (event === "upgrade_complete") return next;
      if (event === "upgrade_failed") throw new Error(`the upgrade failed: ${error}`);
    }
    await sleep(5);
  }
}

const site = await startSite({ config: { limits: { drain_timeout_ms: SECONDS * 1000 } } });
let { pid } = site.gateway;
const original = pid;
try {
  printRow(["", "slowest", "median", "requests", "failed"]);
  /** @type {Record<"without" | "with", number[]>} */
  const slowest = { without: [], with: [] };
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const variant of /** @type {const} */ (["without", "with"])) {
      const stalled = await stall(site.url);
      const stop = startVisitors(site.url);
      await sleep((SECONDS * 1000) / 3);
      if (variant === "with") pid = await upgrade(pid);
      await sleep((SECONDS * 2000) / 3);
      const result = await stop();
      stalled.destroy();
      slowest[variant].push(result.slowest);
      const times = [result.slowest, result.median].map((time) => `${time.toFixed(1)} ms`);
      printRow([`${variant} upgrade`, ...times, String(result.requests), String(result.failed)]);
      if (result.failed > 0) process.exitCode = 1;
    }
  }
  const difference = Math.max(...slowest.with) - Math.max(...slowest.without);
  console.log(`\nThe slowest request takes ${difference.toFixed(1)} ms longer with an upgrade.`);
} finally {
  if (pid !== original) process.kill(pid, "SIGTERM");
  await site.stop();
}
