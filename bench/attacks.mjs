// Measures how a visitor fares beside each attack, with one gateway binary or two. See bench/README.md.
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { Worker } from "node:worker_threads";

import { GATEWAY_BINARY, ROOT } from "../tests/support/repository.mjs";
import { startSite } from "../tests/support/site.mjs";
import { ATTACKS } from "./attack-loads.mjs";
import { childrenOf, memoryOf, peakMemoryOf } from "./processes.mjs";
import { median } from "./report.mjs";

const ROUNDS = Number(process.env["ROUNDS"] ?? 3);
const SECONDS = Number(process.env["SECONDS"] ?? 4);
const SAMPLE_MS = 20;
/** The default limits, and cold caches. */
const CONFIG = { render: { enabled: true, warm_cache: false } };

/** @typedef {import("../tests/support/site.mjs").Site} Site */
/** @typedef {{ binary: string, seed: Site }} Variant */
/** @typedef {Record<"p50" | "p99" | "coldP50" | "coldP99" | "failed" | "rendered" | "gateway" | "gatewayEnd" | "worker" | "warnings", number>} Result */

/** @param {number[]} values */
const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;

/** @type {[title: string, key: keyof Result, digits: number, combine?: (rounds: number[]) => number][]} */
const COLUMNS = [
  ["`/` p50 ms", "p50", 1],
  ["`/` p99 ms", "p99", 1],
  ["cold page p50 ms", "coldP50", 0],
  ["cold page p99 ms", "coldP99", 0],
  ["failed visits %", "failed", 1, mean],
  ["cold pages with server HTML %", "rendered", 0],
  ["gateway peak MB", "gateway", 0],
  ["gateway at end MB", "gatewayEnd", 0],
  ["largest worker MB", "worker", 0],
  ["warnings in 10 s", "warnings", 0],
];

/** Without a served visit there is no number. @param {number} value @param {number} digits */
const format = (value, digits) => (Number.isNaN(value) ? "–" : value.toFixed(digits));

/** @param {number[]} values @param {number} share */
const quantile = (values, share) => values.toSorted((a, b) => a - b)[Math.floor(share * values.length)] ?? NaN;

/** Follows the peaks of a gateway and of its workers, in MB, until `done` settles. @param {number} pid @param {Promise<unknown>} done */
async function watchMemory(pid, done) {
  let [isDone, worker] = [false, 0];
  void done.finally(() => (isDone = true)).catch(() => undefined);
  while (!isDone) {
    worker = Math.max(worker, ...(await Promise.all((await childrenOf(pid)).map(peakMemoryOf))));
    await sleep(SAMPLE_MS);
  }
  return { gateway: await peakMemoryOf(pid), worker };
}

/** Starts a thread, whose first message ends its preparation or its work. @param {string} file @param {object} data */
function start(file, data) {
  const thread = new Worker(new URL(file, import.meta.url), { workerData: data });
  return { thread, message: once(thread, "message").then(([message]) => message) };
}

/**
 * Measures a round of an attack on a gateway with empty caches.
 *
 * @param {Variant} variant
 * @param {import("./attack-loads.mjs").Attack} attack
 * @returns {Promise<Result>}
 */
async function measure({ binary, seed }, { name, seconds = SECONDS, restSeconds = 0 }) {
  const { url, gateway, access, stop } = await startSite({ base: seed, binary, config: CONFIG });
  try {
    const attacker = start("attack-loads.mjs", { attack: name, target: { url, access, folder } });
    const lines = gateway.log.length;
    const visited = attacker.message.then(async () => {
      const started = performance.now();
      const visits = await start("attack-visitor.mjs", { url, seconds, paths }).message;
      return { visits, lasted: (performance.now() - started) / 1000 };
    });
    const peaks = await watchMemory(gateway.pid, visited);
    const { visits, lasted } = await visited;
    const warnings = gateway.log.slice(lines).filter((line) => line.includes('"level":"WARN"')).length;
    await attacker.thread.terminate();
    await sleep(restSeconds * 1000);
    /** @type {import("./attack-visitor.mjs").Visit[]} */
    const served = visits.filter(Boolean);
    const [warm, cold] = [false, true].map((isCold) => served.filter((visit) => visit.isCold === isCold));
    const [times, coldTimes] = [warm, cold].map((some) => (some ?? []).map(({ time }) => time));
    return {
      p50: quantile(times ?? [], 0.5),
      p99: quantile(times ?? [], 0.99),
      coldP50: quantile(coldTimes ?? [], 0.5),
      coldP99: quantile(coldTimes ?? [], 0.99),
      failed: (100 * (visits.length - served.length)) / visits.length,
      rendered: (100 * (cold?.filter(({ isRendered }) => isRendered).length ?? 0)) / (cold?.length ?? 0),
      ...peaks,
      gatewayEnd: (await memoryOf(gateway.pid)).rss,
      warnings: (10 * warnings) / lasted,
    };
  } finally {
    await stop();
  }
}

/** The states that the directory lists. @returns {Promise<string[]>} */
async function listedPaths() {
  const release = JSON.parse(await readFile(path.join(ROOT, "mfe-directory/release/release.json"), "utf8"));
  const states = release.pages.find((/** @type {{ pattern: string }} */ { pattern }) => pattern === "/state/:state");
  return states.paths.map((/** @type {{ path: string }} */ { path }) => path);
}

const { values } = parseArgs({
  options: {
    gateway: { type: "string", default: GATEWAY_BINARY },
    compare: { type: "string" },
    only: { type: "string", multiple: true },
  },
});
const attacks = ATTACKS.filter(({ name }) => values.only?.includes(name) ?? true);
const binaries = [values.compare, values.gateway].filter((binary) => binary !== undefined);
const paths = await listedPaths();
const folder = await mkdtemp(path.join(os.tmpdir(), "colonnade-attacks-"));
/** @type {Variant[]} */
const variants = [];
try {
  for (const binary of binaries) {
    const seed = await startSite({ binary, config: CONFIG });
    variants.push({ binary, seed });
    for (const { setup } of attacks) await setup?.({ url: seed.url, access: seed.access, folder });
  }
  console.log(`Medians of ${ROUNDS} rounds of ${SECONDS} s; ${binaries.join(" → ")}\n`);
  console.log(`| attack | ${COLUMNS.map(([title]) => title).join(" | ")} |`);
  console.log(`| --- |${" ---: |".repeat(COLUMNS.length)}`);
  for (const attack of attacks) {
    /** @type {Result[][]} */
    const results = variants.map(() => []);
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const [index, variant] of variants.entries()) results[index]?.push(await measure(variant, attack));
    }
    const cells = COLUMNS.map(([, key, digits, combine = median]) =>
      results.map((rounds) => format(combine(rounds.map((round) => round[key])), digits)).join(" → "),
    );
    console.log(`| ${attack.title} | ${cells.join(" | ")} |`);
  }
} finally {
  for (const { seed } of variants) await seed.stop();
  await rm(folder, { recursive: true, force: true });
}
