// Compares paint and hydration times of the site with those of other builds of it. See bench/README.md.
import path from "node:path";

import { chromium } from "@playwright/test";

import { launchOptions } from "../tests/support/chromium.mjs";
import { startSite } from "../tests/support/site.mjs";
import { startEnhanced } from "./enhanced.mjs";
import { startOneBundle } from "./one-bundle.mjs";
import { median, printRow, readDocument } from "./report.mjs";
import { keepResult } from "./results.mjs";

const PATHS = ["/", "/state/California"];
const RUNS = Number(process.env["RUNS"] ?? 11);
const CPU_SLOWDOWN = 4;
const NETWORK = { offline: false, latency: 100, downloadThroughput: 5e6 / 8, uploadThroughput: 5e6 / 8 };
const PROBE = path.join(import.meta.dirname, "paint-probe.js");

/** @typedef {{ fcp: number, lcp: number, ready: number, longest: number }} Marks milliseconds */

/**
 * Loads a page with an empty cache on an emulated slow CPU and network.
 *
 * @param {import("@playwright/test").Browser} browser
 * @param {string} url
 * @returns {Promise<Marks>}
 */
async function measure(browser, url) {
  const context = await browser.newContext();
  const page = await context.newPage();
  const protocol = await context.newCDPSession(page);
  await protocol.send("Network.enable");
  await protocol.send("Network.emulateNetworkConditions", NETWORK);
  await protocol.send("Emulation.setCPUThrottlingRate", { rate: CPU_SLOWDOWN });
  await page.addInitScript({ path: PROBE });
  await page.goto(url, { waitUntil: "networkidle" });
  await page.waitForFunction(() => globalThis.marks.ready > 0);
  const heading = await page.locator("main h1").innerText();
  if (heading.includes("unavailable")) throw new Error(`${url} shows "${heading}"`);
  const marks = /** @type {Marks} */ (await page.evaluate("marks"));
  await context.close();
  return marks;
}

/** @typedef {Record<string, Marks[]>} Variants marks of each load */
/** @typedef {{ version: string, pages: Record<string, Variants> }} Result */

/** Measures all pages of all variants. @returns {Promise<Result>} */
async function measureAll() {
  /** @type {(() => Promise<void>)[]} */
  const stops = [];
  try {
    const site = await startSite({ serverRendering: true });
    stops.push(site.stop);
    const read = (/** @type {string} */ path) => readDocument(site.url + path);
    const variants = Object.entries({
      site,
      "one bundle": await startOneBundle(read),
      plain: await startOneBundle(read, { plain: true }),
      enhanced: await startEnhanced(read),
    });
    stops.push(...variants.slice(1).map(([, { stop }]) => stop));
    const browser = await chromium.launch(launchOptions());
    stops.push(() => browser.close());
    const empty = () => Object.fromEntries(variants.map(([name]) => [name, /** @type {Marks[]} */ ([])]));
    const pages = Object.fromEntries(PATHS.map((path) => [path, empty()]));
    // Run 0 warms up the servers and the browser and is not recorded.
    for (let run = 0; run <= RUNS; run += 1) {
      for (const [path, marks] of Object.entries(pages)) {
        // Rotate the order: later measurements benefit from warm caches.
        const first = run % variants.length;
        for (const [name, { url }] of [...variants.slice(first), ...variants.slice(0, first)]) {
          const measured = await measure(browser, url + path);
          if (run > 0) marks[name]?.push(measured);
        }
      }
    }
    return { version: browser.version(), pages };
  } finally {
    for (const stop of stops.reverse()) await stop();
  }
}

/** @type {[keyof Marks, string][]} */
const ROWS = [
  ["fcp", "first contentful paint"],
  ["lcp", "largest contentful paint"],
  ["ready", "ready"],
  ["longest", "longest task"],
];
const { version, pages } = await keepResult("first-paint", measureAll);
console.log(`Chromium ${version}; median of ${RUNS} loads`);
console.log(`${CPU_SLOWDOWN}x CPU slowdown, 100 ms latency, 5 Mbit/s\n`);
for (const [path, variants] of Object.entries(pages)) {
  printRow([path, ...Object.keys(variants).flatMap((name, index) => (index === 0 ? [name] : [name, "ratio"]))]);
  for (const [mark, label] of ROWS) {
    const [site = NaN, ...others] = Object.values(variants).map((all) => median(all.map((marks) => marks[mark])));
    const cells = others.flatMap((time) => [`${time.toFixed(0)} ms`, (site / time).toFixed(2)]);
    printRow([label, `${site.toFixed(0)} ms`, ...cells]);
  }
  console.log();
}
