// What it costs to render a page that nobody has asked for before, and what memory it takes: bench/README.md.
import http from "node:http";
import { setTimeout as sleep } from "node:timers/promises";

import { startSite } from "../tests/support/site.mjs";
import { median, printRow } from "./figures.mjs";
import { loadFor } from "./load.mjs";
import { childrenOf, cpuTime, memoryOf, rest } from "./processes.mjs";

const ROUNDS = Number(process.env["ROUNDS"] ?? 11);
/** The most that are rendered for the sake of memory: they weigh more than the gateway keeps. */
const PAGES = Number(process.env["PAGES"] ?? 2000);
const BURST_SECONDS = 10;
/** Each after one of the same section, with which the worker gets the section's modules. */
const COLD = [
  { warm: "/state/Wyoming", path: "/state/California" },
  { warm: "/privacy", path: "/terms" },
  { warm: "/city/Texas/Dallas", path: "/city/Texas/Austin" },
];
const agent = new http.Agent({ keepAlive: true });

/** @typedef {import("../tests/support/site.mjs").Site} Site */
/** @typedef {{ render: number, worker: number, gateway: number, wall: number, bytes: number }} Cost milliseconds */

/** The CPU time of all renders so far, as the workers report it. @param {Site} site */
async function renderTime({ gateway }) {
  const text = await (await fetch(`${gateway.admin}/metrics`)).text();
  const sums = [...text.matchAll(/^colonnade_render_cpu_seconds_sum\{.*\} (.*)$/gm)];
  return sums.reduce((sum, [, seconds]) => sum + 1000 * Number(seconds), 0);
}

/** @param {string} url @returns {Promise<{ html: string, wall: number, bytes: number }>} */
function get(url) {
  const start = performance.now();
  return new Promise((resolve, reject) => {
    const request = http.get(url, { agent }, (response) => {
      /** @type {Buffer[]} */
      const parts = [];
      response.on("data", (part) => parts.push(part));
      response.on("end", () => {
        const [wall, bytes] = [performance.now() - start, Buffer.concat(parts)];
        const html = bytes.toString();
        if (html.includes('<div id="root"></div>')) reject(new Error(`${url} was not rendered`));
        else resolve({ html, wall, bytes: bytes.length });
      });
    });
    request.on("error", reject);
  });
}

/** @param {Site} site @param {string} path @returns {Promise<Cost>} */
async function measure(site, path) {
  const { url, gateway } = site;
  const [worker = NaN] = await childrenOf(gateway.pid);
  const used = () => Promise.all([worker, gateway.pid].map(cpuTime));
  const renderBefore = await renderTime(site);
  await rest(worker);
  await rest(gateway.pid);
  const [workerBefore = NaN, gatewayBefore = NaN] = await used();
  const { wall, bytes } = await get(url + path);
  await rest(worker);
  await rest(gateway.pid);
  const [workerAfter = NaN, gatewayAfter = NaN] = await used();
  const render = (await renderTime(site)) - renderBefore;
  return { render, worker: workerAfter - workerBefore, gateway: gatewayAfter - gatewayBefore, wall, bytes };
}

/** Follows links from the home page on, which renders what they lead to. @param {Site} site @returns {Promise<string[]>} */
async function renderMany({ url }) {
  const paths = ["/"];
  const seen = new Set(paths);
  // An array may grow while it is gone through.
  for (const path of paths) {
    const { html } = await get(url + path);
    for (const [, link = ""] of html.matchAll(/<a[^>]* href="(\/[^"?#&]*)"/g)) {
      if (/^\/(go|assets)\//.test(link) || seen.has(link) || seen.size === PAGES) continue;
      seen.add(link);
      paths.push(link);
    }
  }
  return paths;
}

/** @param {string} when @param {Site} site */
async function printMemory(when, { gateway }) {
  const show = (/** @type {{ resident: number, share: number }} */ { resident, share }) =>
    [resident, share].map((megabytes) => `${megabytes.toFixed(1)} MB`);
  const workers = await Promise.all((await childrenOf(gateway.pid)).map(memoryOf));
  printRow([`${when}: gateway`, ...show(await memoryOf(gateway.pid))]);
  workers.forEach((worker, index) => printRow([`${when}: worker ${index + 1}`, ...show(worker)]));
}

/** @param {Site} seed */
async function measureRenders(seed) {
  /** @type {Map<string, Cost[]>} */
  const costs = new Map(COLD.map(({ path }) => [path, []]));
  for (let round = 0; round < ROUNDS; round += 1) {
    // Nothing is kept in a gateway that has just started, so each renders every page once.
    const site = await startSite({ like: seed, changes: { render: { enabled: true, warm: false, workers: 1 } } });
    try {
      for (const { warm, path } of COLD) {
        await get(site.url + warm);
        costs.get(path)?.push(await measure(site, path));
      }
    } finally {
      await site.stop();
    }
  }
  console.log(`Cold renders, medians of ${ROUNDS}\n`);
  printRow(["page", "document", "render", "worker CPU", "gateway CPU", "wall"]);
  for (const [path, all] of costs) {
    const of = (/** @type {keyof Cost} */ what) => median(all.map((cost) => cost[what]));
    const times = /** @type {const} */ (["render", "worker", "gateway", "wall"]).map(
      (what) => `${of(what).toFixed(1)} ms`,
    );
    printRow([path, `${(of("bytes") / 1000).toFixed(0)} KB`, ...times]);
  }
}

/** @param {Site} seed */
async function measureMemory(seed) {
  const site = await startSite({ like: seed, changes: { render: { enabled: true, warm: false } } });
  try {
    await sleep(1000);
    printRow(["\nMemory", "resident", "its share"]);
    await printMemory("at start", site);
    const paths = await renderMany(site);
    await printMemory(`${paths.length} pages rendered`, site);
    const { by, perSecond, failed } = await loadFor(BURST_SECONDS, site.url, paths);
    console.log(`a burst of ${BURST_SECONDS} s by ${by}: ${perSecond.toFixed(0)} requests a second, ${failed} failed`);
    await printMemory("after it", site);
  } finally {
    await site.stop();
  }
}

const seed = await startSite({ rendered: true });
try {
  await measureRenders(seed);
  await measureMemory(seed);
} finally {
  agent.destroy();
  await seed.stop();
}
