// Compares the transfer size of a page's first view with that of one client bundle. See bench/README.md.
import { chromium } from "@playwright/test";

import { launchOptions } from "../tests/support/chromium.mjs";
import { startSite } from "../tests/support/site.mjs";
import { loadFirstView } from "../tests/support/page-weight.mjs";
import { printRow, readDocument } from "./report.mjs";
import { startOneBundle } from "./one-bundle.mjs";

const PATHS = ["/", "/state/California", "/city/Texas/Austin", "/about-escort-babylon/safety-guide"];

/** @typedef {import("../tests/support/page-weight.mjs").Weight} Cost */

/**
 * Loads a page with an empty cache and measures every request until the network is idle.
 *
 * @param {import("@playwright/test").Browser} browser
 * @param {string} url
 * @returns {Promise<Cost>}
 */
async function measure(browser, url) {
  const { page, weight } = await loadFirstView(browser, url);
  await page.context().close();
  return weight;
}

/** @param {number} bytes */
function kilobytes(bytes) {
  return `${(bytes / 1000).toFixed(1)} KB`;
}

/** @param {string} title @param {(cost: Cost) => number} select @param {(value: number) => string} format */
function printTable(title, select, format) {
  printRow([title, "site", "one bundle", "ratio"]);
  for (const { path, site, bundle } of results)
    printRow([
      path,
      format(select(site)),
      format(select(bundle)),
      select(bundle) === 0 ? "–" : (select(site) / select(bundle)).toFixed(2),
    ]);
  console.log();
}

/** @type {(() => Promise<void>)[]} */
const stops = [];
/** @type {{ path: string, site: Cost, bundle: Cost }[]} */
const results = [];
try {
  const site = await startSite();
  stops.push(site.stop);
  const oneBundle = await startOneBundle((path) => readDocument(site.url + path));
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
printTable("External stylesheets, brotli", (cost) => cost.stylesheet, kilobytes);
printTable("Total", (cost) => cost.document + cost.script + cost.stylesheet, kilobytes);
