// What the first view of a page costs, next to the same code as one client bundle: bench/README.md.
import { chromium } from "@playwright/test";

import { launchOptions } from "../tests/support/chromium.mjs";
import { startSite } from "../tests/support/site.mjs";
import { printRow, readDocument } from "./figures.mjs";
import { startOneBundle } from "./one-bundle.mjs";

const PATHS = ["/", "/state/California", "/city/Texas/Austin", "/about-escort-babylon/safety-guide"];

/** @typedef {{ requests: number, document: number, script: number, stylesheet: number }} Cost bytes, but for requests */

/**
 * Loads a page into an empty cache and counts what it took until the page was there and the network quiet.
 *
 * @param {import("@playwright/test").Browser} browser
 * @param {string} url
 * @returns {Promise<Cost>}
 */
async function measure(browser, url) {
  const context = await browser.newContext();
  const page = await context.newPage();
  // What is fetched when the browser is idle, the join dialog, is no part of the first view.
  await page.addInitScript("globalThis.requestIdleCallback = () => 0");
  /** @type {import("@playwright/test").Request[]} */
  const requests = [];
  page.on("requestfinished", (request) => requests.push(request));
  page.on("requestfailed", (request) => {
    throw new Error(`${request.url()} failed: ${request.failure()?.errorText}`);
  });
  await page.goto(url, { waitUntil: "networkidle" });
  await page.locator("main h1").waitFor();
  const heading = await page.locator("main h1").innerText();
  if (heading.includes("unavailable")) throw new Error(`${url} shows "${heading}"`);

  /** @type {Cost} */
  const cost = { requests: requests.length, document: 0, script: 0, stylesheet: 0 };
  for (const request of requests) {
    const type = request.resourceType();
    if (type !== "document" && type !== "script" && type !== "stylesheet") continue;
    const response = await request.response();
    const coding = await response?.headerValue("content-encoding");
    if (coding !== "br" && (await response?.body())?.length > 1024)
      throw new Error(`${request.url()} came as ${coding}`);
    cost[type] += (await request.sizes()).responseBodySize;
  }
  await context.close();
  return cost;
}

/** @param {number} bytes */
function kilobytes(bytes) {
  return `${(bytes / 1000).toFixed(1)} KB`;
}

/** @param {string} what @param {(cost: Cost) => number} of @param {(value: number) => string} show */
function printTable(what, of, show) {
  printRow([what, "site", "one bundle", "ratio"]);
  for (const { path, site, bundle } of results)
    printRow([path, show(of(site)), show(of(bundle)), of(bundle) === 0 ? "–" : (of(site) / of(bundle)).toFixed(2)]);
  console.log();
}

/** @type {(() => Promise<void>)[]} */
const stops = [];
/** @type {{ path: string, site: Cost, bundle: Cost }[]} */
const results = [];
try {
  const site = await startSite();
  stops.push(site.stop);
  const oneBundle = await startOneBundle(async (path) => (await readDocument(site.url + path)).boot);
  stops.push(oneBundle.stop);
  const browser = await chromium.launch(launchOptions());
  stops.push(() => browser.close());
  for (const path of PATHS) {
    results.push({
      path,
      site: await measure(browser, site.url + path),
      bundle: await measure(browser, oneBundle.url + path),
    });
  }
} finally {
  for (const stop of stops.reverse()) await stop();
}

printTable("Requests", (cost) => cost.requests, String);
printTable("Document, brotli", (cost) => cost.document, kilobytes);
printTable("JavaScript, brotli", (cost) => cost.script, kilobytes);
printTable("Stylesheets besides, brotli", (cost) => cost.stylesheet, kilobytes);
printTable("All of these", (cost) => cost.document + cost.script + cost.stylesheet, kilobytes);
