// Runs Lighthouse against the site with mobile emulation. See bench/README.md.
import { launch } from "chrome-launcher";
import lighthouse from "lighthouse";

import { chromium } from "@playwright/test";

import { launchOptions } from "../tests/support/chromium.mjs";
import { startSite } from "../tests/support/site.mjs";
import { median, printRow } from "./report.mjs";

const PATHS = [
  "/",
  "/state/California",
  "/city/Texas/Austin",
  "/city/Texas/Houston/ad/4251",
  "/about-escort-babylon",
  "/about-escort-babylon/safety-guide",
  "/about-escort-babylon/top-cities",
  "/about-escort-babylon/legal-guide",
  "/about-escort-babylon/red-flags",
  "/terms",
  "/privacy",
  "/signup",
  "/success",
];
const RUNS = Number(process.env["RUNS"] ?? 5);
const CATEGORIES = ["performance", "accessibility", "best-practices", "seo"];
const METRICS = /** @type {const} */ ([
  ["first-contentful-paint", "FCP"],
  ["largest-contentful-paint", "LCP"],
  ["total-blocking-time", "TBT"],
  ["cumulative-layout-shift", "CLS"],
]);

/** @typedef {{ scores: number[], metrics: number[], failed: string[], version: string }} Report */

/**
 * Runs Lighthouse once with its defaults for mobile: 4x CPU slowdown, 150 ms round-trip time, 1.6 Mbit/s, a screen
 * 412 pixels wide.
 *
 * @param {string} url
 * @param {number} port the browser's DevTools port
 * @returns {Promise<Report>}
 */
async function run(url, port) {
  const result = await lighthouse(url, { port, onlyCategories: CATEGORIES, output: "json", logLevel: "error" });
  if (!result) throw new Error(`${url}: Lighthouse returned no result`);
  const { lhr } = result;
  if (lhr.runtimeError) throw new Error(`${url}: ${lhr.runtimeError.message}`);
  const audits = CATEGORIES.filter((name) => name !== "performance").flatMap((name) => {
    const weighted = lhr.categories[name]?.auditRefs.filter(({ weight }) => weight > 0) ?? [];
    return weighted.map(({ id }) => lhr.audits[id]);
  });
  return {
    scores: CATEGORIES.map((name) => lhr.categories[name]?.score ?? NaN),
    metrics: METRICS.map(([id]) => lhr.audits[id]?.numericValue ?? NaN),
    failed: audits.filter((audit) => audit && audit.score !== null && audit.score < 1).map((audit) => audit?.id ?? ""),
    version: `Lighthouse ${lhr.lighthouseVersion}, ${/Chrome\/[\d.]+/.exec(lhr.userAgent)?.[0] ?? lhr.userAgent}`,
  };
}

/** Returns the median of each column. @param {readonly (readonly number[])[]} rows */
function medians(rows) {
  return (rows[0] ?? []).map((_, column) => median(rows.map((row) => row[column] ?? NaN)));
}

const { executablePath, args = [] } = launchOptions();
const site = await startSite();
const browser = await launch({
  chromePath: executablePath ?? chromium.executablePath(),
  chromeFlags: ["--headless", "--no-sandbox", "--disable-gpu", ...args],
});
/** @type {Map<string, Report[]>} */
const reports = new Map(PATHS.map((path) => [path, []]));
try {
  // Fill the document cache, which is normally warm.
  for (const path of PATHS) await fetch(site.url + path);
  for (let round = 0; round < RUNS; round += 1) {
    for (const [path, runs] of reports) runs.push(await run(site.url + path, browser.port));
  }
} finally {
  browser.kill();
  await site.stop();
}

const [first] = [...reports.values()].flat();
console.log(`${first?.version}; mobile; medians of ${RUNS}\n`);
printRow(["", ...CATEGORIES.map((name) => name.slice(0, 11)), ...METRICS.map(([, name]) => name)]);
for (const [path, all] of reports) {
  const scores = medians(all.map((report) => report.scores)).map((score) => score.toFixed(2));
  const metrics = medians(all.map((report) => report.metrics));
  const shown = metrics.map((value, index) =>
    METRICS[index]?.[1] === "CLS" ? value.toFixed(3) : `${value.toFixed(0)} ms`,
  );
  printRow([path, ...scores, ...shown]);
}
for (const [path, all] of reports) {
  const failed = [...new Set(all.flatMap((report) => report.failed))];
  if (failed.length > 0) console.log(`\n${path} fails: ${failed.join(", ")}`);
}
