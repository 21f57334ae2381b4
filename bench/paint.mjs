// Paint and hydration times of a page in a browser with an emulated slow CPU and network.
import path from "node:path";

const CPU_SLOWDOWN = 4;
const NETWORK = { offline: false, latency: 100, downloadThroughput: 5e6 / 8, uploadThroughput: 5e6 / 8 };
const PROBE = path.join(import.meta.dirname, "paint-probe.js");

/** Describes the emulated machine. */
export const EMULATED = `${CPU_SLOWDOWN}x CPU slowdown, 100 ms latency, 5 Mbit/s`;

/** @typedef {{ fcp: number, lcp: number, ready: number, longest: number }} Marks milliseconds */
/** @typedef {Record<string, Marks[]>} Variants marks of each load */

/** The labels of the marks. @type {[keyof Marks, string][]} */
export const MARKS = [
  ["fcp", "first contentful paint"],
  ["lcp", "largest contentful paint"],
  ["ready", "ready"],
  ["longest", "longest task"],
];

/**
 * Loads a page with an empty cache.
 *
 * @param {import("@playwright/test").Browser} browser
 * @param {string} url
 * @param {import("@playwright/test").BrowserContextOptions} options
 * @returns {Promise<Marks>}
 */
async function measure(browser, url, options) {
  const context = await browser.newContext(options);
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

/**
 * Loads each page of each variant of the site `runs` times, by turns.
 *
 * @param {import("@playwright/test").Browser} browser
 * @param {Record<string, string>} urls by name of the variant
 * @param {readonly string[]} paths
 * @param {number} runs
 * @param {import("@playwright/test").BrowserContextOptions} [options]
 * @returns {Promise<Record<string, Variants>>} by path
 */
export async function measurePaint(browser, urls, paths, runs, options = {}) {
  const variants = Object.entries(urls);
  const empty = () => Object.fromEntries(variants.map(([name]) => [name, /** @type {Marks[]} */ ([])]));
  const pages = Object.fromEntries(paths.map((path) => [path, empty()]));
  // Run 0 warms up the servers and the browser and is not recorded.
  for (let run = 0; run <= runs; run += 1) {
    for (const [path, marks] of Object.entries(pages)) {
      // Rotate the order: later measurements benefit from warm caches.
      const first = run % variants.length;
      for (const [name, url] of [...variants.slice(first), ...variants.slice(0, first)]) {
        const measured = await measure(browser, url + path, options);
        if (run > 0) marks[name]?.push(measured);
      }
    }
  }
  return pages;
}
