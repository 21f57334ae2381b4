// Measures the slowest request with and without an upgrade of the gateway. See bench/README.md.
import { setTimeout as sleep } from "node:timers/promises";

import { startSite } from "../tests/support/site.mjs";
import { stall, startVisitors } from "../tests/support/visitors.mjs";
import { median, printRow } from "./report.mjs";

const ROUNDS = Number(process.env["ROUNDS"] ?? 5);
const SECONDS = Number(process.env["SECONDS"] ?? 6);

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
      const { times, failed } = await stop();
      stalled.destroy();
      const worst = Math.max(...times);
      slowest[variant].push(worst);
      const cells = [worst, median(times)].map((time) => `${time.toFixed(1)} ms`);
      printRow([`${variant} upgrade`, ...cells, String(times.length), String(failed)]);
      if (failed > 0) process.exitCode = 1;
    }
  }
  const difference = Math.max(...slowest.with) - Math.max(...slowest.without);
  console.log(`\nThe slowest request takes ${difference.toFixed(1)} ms longer with an upgrade.`);
} finally {
  if (pid !== original) process.kill(pid, "SIGTERM");
  await site.stop();
}
