// Compares paint and hydration times of the site with those of one client bundle. See bench/README.md.
import path from "node:path";

import { chromium } from "@playwright/test";

import { launchOptions } from "../tests/support/chromium.mjs";
import { startSite } from "../tests/support/site.mjs";
import { median, printRow, readDocument } from "./report.mjs";
import { startOneBundle } from "./one-bundle.mjs";

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

/** @type {(() => Promise<void>)[]} */
const stops = [];
/** @type {Map<string, { site: Marks[], bundle: Marks[], plain: Marks[] }>} */
const results = new Map(PATHS.map((path) => [path, { site: [], bundle: [], plain: [] }]));
/** @type {string | undefined} */
let version;
try {
  const site = await startSite({ serverRendering: true });
  stops.push(site.stop);
  const read = (/** @type {string} */ path) => readDocument(site.url + path);
  const oneBundle = await startOneBundle(read);
  stops.push(oneBundle.stop);
  const plainBundle = await startOneBundle(read, { plain: true });
  stops.push(plainBundle.stop);
  const browser = await chromium.launch(launchOptions());
  stops.push(() => browser.close());
  version = browser.version();
  // Run 0 warms up the servers and the browser and is not recorded.
  for (let run = 0; run <= RUNS; run += 1) {
    for (const [path, { site: siteMarks, bundle, plain }] of results) {
      const all = [
        { url: site.url + path, marks: siteMarks },
        { url: oneBundle.url + path, marks: bundle },
        { url: plainBundle.url + path, marks: plain },
      ];
      // Rotate the order: later measurements benefit from warm caches.
      const first = run % all.length;
      for (const { url, marks } of [...all.slice(first), ...all.slice(0, first)]) {
        const measured = await measure(browser, url);
        if (run > 0) marks.push(measured);
      }
    }
  }
} finally {
  for (const stop of stops.reverse()) await stop();
}

/** @type {[keyof Marks, string][]} */
const ROWS = [
  ["fcp", "first contentful paint"],
  ["lcp", "largest contentful paint"],
  ["ready", "ready"],
  ["longest", "longest task"],
];
console.log(`Chromium ${version}; median of ${RUNS} loads`);
console.log(`${CPU_SLOWDOWN}x CPU slowdown, 100 ms latency, 5 Mbit/s\n`);
for (const [path, { site, bundle, plain }] of results) {
  printRow([path, "site", "one bundle", "ratio", "plain", "ratio"]);
  for (const [mark, label] of ROWS) {
    const [siteTime, ...bundleTimes] = [site, bundle, plain].map((all) => median(all.map((marks) => marks[mark])));
    const cells = bundleTimes.flatMap((time) => [`${time.toFixed(0)} ms`, (Number(siteTime) / time).toFixed(2)]);
    printRow([label, `${Number(siteTime).toFixed(0)} ms`, ...cells]);
  }
  console.log();
}
