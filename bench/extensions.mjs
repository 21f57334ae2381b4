// Compares a city page with two extensions, and with four broken ones, with the same page without any. See bench/README.md.
import http from "node:http";

import { deployPackages } from "../tests/support/deploy-packages.mjs";
import { EVENTS, eventsUpstream, startEventsApi } from "../tests/support/events-api.mjs";
import { loadFirstView } from "../tests/support/page-weight.mjs";
import { startSite } from "../tests/support/site.mjs";
import { measureBroken } from "./broken-extensions.mjs";
import { EMULATED, launchForPaint, MARKS, measurePaint } from "./paint.mjs";
import { cpuTime, waitUntilIdle } from "./processes.mjs";
import { median, printRow, quantile } from "./report.mjs";
import { keepResult } from "./results.mjs";

const PATH = "/city/Texas/Austin";
const ROUNDS = Number(process.env["ROUNDS"] ?? 11);
const REQUESTS = 5_000;
// So high that the largest element, an ad below the extensions, is in view with and without them.
const viewport = { width: 1280, height: 1400 };
const NOBODY = { "directory/city-aside": { allow: [] } };

/** @typedef {import("../tests/support/site.mjs").Site} Site */

/** Requests the cached document, and returns the gateway's CPU time of one request in microseconds. @param {Site} site */
async function measureCpu({ url, gateway }) {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 8 });
  const request = () =>
    new Promise((resolve, reject) => {
      http
        .get(url + PATH, { agent, headers: { "accept-encoding": "br" } }, (response) => {
          response.resume().on("end", resolve);
        })
        .on("error", reject);
    });
  await waitUntilIdle(gateway.pid);
  const before = await cpuTime(gateway.pid);
  for (let sent = 0; sent < REQUESTS; sent += 50) await Promise.all(Array.from({ length: 50 }, request));
  await waitUntilIdle(gateway.pid);
  const time = (await cpuTime(gateway.pid)) - before;
  agent.destroy();
  return (1000 * time) / REQUESTS;
}

/** Measures the page with two extensions, and twice without: their spread is that of the measurement. */
async function measureAll() {
  /** @type {(() => Promise<void>)[]} */
  const stops = [];
  try {
    const api = await startEventsApi();
    stops.push(api.stop);
    const config = eventsUpstream(api.url);
    const site = await startSite({ config });
    stops.push(site.stop);
    await deployPackages(site.access, [EVENTS]);
    const without = { base: site, config: { ...config, extension_points: NOBODY } };
    const variants = { none: await startSite(without), "none again": await startSite(without), two: site };
    stops.push(variants.none.stop, variants["none again"].stop);
    const browser = await launchForPaint();
    stops.push(() => browser.close());
    const urls = Object.fromEntries(Object.entries(variants).map(([name, { url }]) => [name, url]));
    const pages = await measurePaint(browser, urls, [PATH], ROUNDS, { viewport });
    /** @type {Record<string, { cpu: number[], weight: import("../tests/support/page-weight.mjs").Weight }>} */
    const costs = {};
    for (const [name, { url }] of Object.entries(variants)) {
      const { page, weight } = await loadFirstView(browser, url + PATH);
      await page.context().close();
      costs[name] = { cpu: [], weight };
    }
    const all = Object.entries(variants);
    for (let round = 0; round <= ROUNDS; round += 1) {
      for (const [name, variant] of round % 2 === 0 ? all : all.toReversed()) {
        const cpu = await measureCpu(variant);
        if (round > 0) costs[name]?.cpu.push(cpu);
      }
    }
    const broken = await measureBroken(ROUNDS);
    return { version: browser.version(), marks: pages[PATH] ?? {}, costs, broken };
  } finally {
    for (const stop of stops.reverse()) await stop();
  }
}

/** Prints the quartiles of each variant. @param {string} label @param {number[][]} variants @param {string} unit */
function printQuartiles(label, variants, unit) {
  const cells = variants.map((all) => [0.25, 0.5, 0.75].map((share) => quantile(all, share).toFixed(0)).join(" / "));
  printRow([`${label}, ${unit}`, ...cells.map((cell) => cell.padStart(18))]);
}

const { version, marks, costs, broken } = await keepResult("extensions", measureAll);
console.log(`Chromium ${version}; quartiles of ${ROUNDS} rounds\n${EMULATED}\n`);
printRow([PATH, ...Object.keys(marks).map((name) => name.padStart(18))]);
for (const [mark, label] of MARKS)
  printQuartiles(
    label,
    Object.values(marks).map((all) => all.map((of) => of[mark])),
    "ms",
  );
printQuartiles(
  "CPU of a cached document",
  Object.values(costs).map(({ cpu }) => cpu),
  "µs",
);
for (const part of /** @type {const} */ (["script", "extension", "document", "requests"]))
  printRow([part, ...Object.values(costs).map(({ weight }) => String(weight[part]).padStart(18))]);

printRow(["\nA document that is not cached, ms", "none", "four broken", "ratio"]);
for (const part of /** @type {const} */ (["first", "later"])) {
  const [none, four] = [median(broken.none[part]), median(broken.four[part])];
  printRow([`${part} of a gateway`, none.toFixed(1), four.toFixed(1), (four / none).toFixed(2)]);
}
