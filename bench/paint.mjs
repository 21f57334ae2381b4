// Paint and hydration times of a page in a browser with an emulated slow CPU and network.
import path from "node:path";

import { chromium } from "@playwright/test";

import { launchOptions } from "../tests/support/chromium.mjs";
import { phasesOf, TRACED } from "./paint-phases.mjs";

const CPU_SLOWDOWN = 4;
const NETWORK = { offline: false, latency: 100, downloadThroughput: 5e6 / 8, uploadThroughput: 5e6 / 8 };
const PROBE = path.join(import.meta.dirname, "paint-probe.js");

/** Describes the emulated machine. */
export const EMULATED = `${CPU_SLOWDOWN}x CPU slowdown, 100 ms latency, 5 Mbit/s`;

/** @typedef {import("@playwright/test").Browser} Browser */
/** @typedef {import("@playwright/test").BrowserContextOptions} Options */
/** @typedef {{ fcp: number, lcp: number, ready: number, longest: number }} Marks milliseconds */
/** @typedef {import("./paint-phases.mjs").Phases} Phases */

/** The labels of the marks. @type {[keyof Marks, string][]} */
export const MARKS = [
  ["fcp", "first contentful paint"],
  ["lcp", "largest contentful paint"],
  ["ready", "ready"],
  ["longest", "longest task"],
];

/**
 * Starts a browser. Playwright makes it record where each `Error` was created. For that, V8 would parse the scripts a second
 * time, unless it keeps the positions from the first.
 */
export function launchForPaint() {
  const options = launchOptions();
  return chromium.launch({ ...options, args: [...options.args, "--js-flags=--no-enable-lazy-source-positions"] });
}

/** Opens an empty page with an empty cache. @param {Browser} browser @param {Options} options */
async function openPage(browser, options) {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  const protocol = await context.newCDPSession(page);
  await protocol.send("Network.enable");
  await protocol.send("Network.emulateNetworkConditions", NETWORK);
  await protocol.send("Emulation.setCPUThrottlingRate", { rate: CPU_SLOWDOWN });
  await page.addInitScript({ path: PROBE });
  return page;
}

/** Loads a page until it is ready and the network is idle. @param {import("@playwright/test").Page} page @param {string} url */
async function load(page, url) {
  // Not by a function that runs in the page: compiling it would delay what is measured.
  const ready = page.waitForEvent("console", (message) => message.text() === "ready");
  await Promise.all([ready, page.goto(url, { waitUntil: "networkidle" })]);
}

/** Loads a page with an empty cache. @param {Browser} browser @param {string} url @param {Options} options @returns {Promise<Marks>} */
async function measure(browser, url, options) {
  const page = await openPage(browser, options);
  await load(page, url);
  const heading = await page.locator("main h1").innerText();
  if (heading.includes("unavailable")) throw new Error(`${url} shows "${heading}"`);
  const marks = /** @type {Marks} */ (await page.evaluate("marks"));
  await page.context().close();
  return marks;
}

/** Traces a load of a page with an empty cache. @param {Browser} browser @param {string} url @param {Options} options @returns {Promise<Phases>} */
async function trace(browser, url, options) {
  const page = await openPage(browser, options);
  await browser.startTracing(page, { categories: TRACED });
  await load(page, url);
  const { traceEvents } = JSON.parse(String(await browser.stopTracing()));
  await page.context().close();
  return phasesOf(traceEvents);
}

/**
 * Loads each page of each variant of the site `runs` times, by turns.
 *
 * @template T
 * @param {Record<string, string>} urls by name of the variant
 * @param {readonly string[]} paths
 * @param {number} runs
 * @param {(url: string) => Promise<T>} measureUrl
 * @returns {Promise<Record<string, Record<string, T[]>>>} by path and variant
 */
async function byTurns(urls, paths, runs, measureUrl) {
  const variants = Object.entries(urls);
  const empty = () => Object.fromEntries(variants.map(([name]) => [name, /** @type {T[]} */ ([])]));
  const pages = Object.fromEntries(paths.map((path) => [path, empty()]));
  // Run 0 warms up the servers and the browser and is not recorded.
  for (let run = 0; run <= runs; run += 1) {
    for (const [path, results] of Object.entries(pages)) {
      // Rotate the order: later measurements benefit from warm caches.
      const first = run % variants.length;
      for (const [name, url] of [...variants.slice(first), ...variants.slice(0, first)]) {
        const measured = await measureUrl(url + path);
        if (run > 0) results[name]?.push(measured);
      }
    }
  }
  return pages;
}

/**
 * Measures when the pages are painted and ready.
 *
 * @param {Browser} browser of `launchForPaint`
 * @param {Record<string, string>} urls by name of the variant
 * @param {readonly string[]} paths
 * @param {number} runs
 * @param {Options} [options]
 */
export function measurePaint(browser, urls, paths, runs, options = {}) {
  return byTurns(urls, paths, runs, (url) => measure(browser, url, options));
}

/**
 * Measures what the pages do until they are ready. Tracing takes time itself.
 *
 * @param {Browser} browser of `launchForPaint`
 * @param {Record<string, string>} urls by name of the variant
 * @param {readonly string[]} paths
 * @param {number} runs
 */
export function measurePhases(browser, urls, paths, runs) {
  return byTurns(urls, paths, runs, (url) => trace(browser, url, {}));
}
