// Measures the cost of rendering an uncached page, and the memory of gateway and workers. See bench/README.md.
import http from "node:http";
import { setTimeout as sleep } from "node:timers/promises";

import { startSite } from "../tests/support/site.mjs";
import { median, printRow } from "./report.mjs";
import { loadFor } from "./load.mjs";
import { childrenOf, cpuTime, memoryOf, waitUntilIdle } from "./processes.mjs";

const ROUNDS = Number(process.env["ROUNDS"] ?? 11);
/** Number of pages rendered for the memory measurement. They exceed the document cache. */
const PAGES = Number(process.env["PAGES"] ?? 2000);
const BURST_SECONDS = 10;
/** Measured pages, each after a page of the same section that makes the worker load the section's modules. */
const UNCACHED = [
  { warm: "/state/Wyoming", path: "/state/California" },
  { warm: "/privacy", path: "/terms" },
  { warm: "/city/Texas/Dallas", path: "/city/Texas/Austin" },
];
const agent = new http.Agent({ keepAlive: true });

/** @typedef {import("../tests/support/site.mjs").Site} Site */
/** @typedef {{ render: number, worker: number, gateway: number, wall: number, bytes: number }} Cost milliseconds */

/** Returns the CPU time of all renders so far in milliseconds, as reported by the workers. @param {Site} site */
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
        if (html.includes('<div id="root"></div>')) reject(new Error(`${url} was not rendered on the server`));
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
  const cpuTimes = () => Promise.all([worker, gateway.pid].map(cpuTime));
  const renderBefore = await renderTime(site);
  await waitUntilIdle(worker);
  await waitUntilIdle(gateway.pid);
  const [workerBefore = NaN, gatewayBefore = NaN] = await cpuTimes();
  const { wall, bytes } = await get(url + path);
  await waitUntilIdle(worker);
  await waitUntilIdle(gateway.pid);
  const [workerAfter = NaN, gatewayAfter = NaN] = await cpuTimes();
  const render = (await renderTime(site)) - renderBefore;
  return { render, worker: workerAfter - workerBefore, gateway: gatewayAfter - gatewayBefore, wall, bytes };
}

/** Requests pages by following links from the home page. Returns their paths. @param {Site} site @returns {Promise<string[]>} */
async function renderMany({ url }) {
  const paths = ["/"];
  const seen = new Set(paths);
  // The loop also visits paths appended during iteration.
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
  const format = (/** @type {{ rss: number, pss: number }} */ { rss, pss }) =>
    [rss, pss].map((megabytes) => `${megabytes.toFixed(1)} MB`);
  const workers = await Promise.all((await childrenOf(gateway.pid)).map(memoryOf));
  printRow([`${when}: gateway`, ...format(await memoryOf(gateway.pid))]);
  workers.forEach((worker, index) => printRow([`${when}: worker ${index + 1}`, ...format(worker)]));
}

/** @param {Site} seed */
async function measureRenders(seed) {
  /** @type {Map<string, Cost[]>} */
  const costs = new Map(UNCACHED.map(({ path }) => [path, []]));
  for (let round = 0; round < ROUNDS; round += 1) {
    // A new gateway has an empty cache, so each one renders every page once.
    const site = await startSite({ base: seed, config: { render: { enabled: true, warm_cache: false, workers: 1 } } });
    try {
      for (const { warm, path } of UNCACHED) {
        await get(site.url + warm);
        costs.get(path)?.push(await measure(site, path));
      }
    } finally {
      await site.stop();
    }
  }
  console.log(`Uncached renders, medians of ${ROUNDS}\n`);
  printRow(["page", "document", "render", "worker CPU", "gateway CPU", "wall"]);
  for (const [path, all] of costs) {
    const medianOf = (/** @type {keyof Cost} */ key) => median(all.map((cost) => cost[key]));
    const times = /** @type {const} */ (["render", "worker", "gateway", "wall"]).map(
      (key) => `${medianOf(key).toFixed(1)} ms`,
    );
    printRow([path, `${(medianOf("bytes") / 1000).toFixed(0)} KB`, ...times]);
  }
}

/** @param {Site} seed */
async function measureMemory(seed) {
  const site = await startSite({ base: seed, config: { render: { enabled: true, warm_cache: false } } });
  try {
    await sleep(1000);
    printRow(["\nMemory", "RSS", "PSS"]);
    await printMemory("at start", site);
    const paths = await renderMany(site);
    await printMemory(`${paths.length} pages rendered`, site);
    const { generator, perSecond, failed } = await loadFor(BURST_SECONDS, site.url, paths);
    console.log(
      `${BURST_SECONDS} s of load from ${generator}: ${perSecond.toFixed(0)} requests per second, ${failed} failed`,
    );
    await printMemory("after the load", site);
  } finally {
    await site.stop();
  }
}

const seed = await startSite({ serverRendering: true });
try {
  await measureRenders(seed);
  await measureMemory(seed);
} finally {
  agent.destroy();
  await seed.stop();
}
