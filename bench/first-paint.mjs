// Compares paint and hydration times of the site with those of other builds of it. See bench/README.md.
import { chromium } from "@playwright/test";

import { launchOptions } from "../tests/support/chromium.mjs";
import { startSite } from "../tests/support/site.mjs";
import { startEnhanced } from "./enhanced.mjs";
import { startOneBundle } from "./one-bundle.mjs";
import { EMULATED, MARKS, measurePaint } from "./paint.mjs";
import { median, printRow, readDocument } from "./report.mjs";
import { keepResult } from "./results.mjs";

const PATHS = ["/", "/state/California"];
const RUNS = Number(process.env["RUNS"] ?? 11);

/** Measures all pages of all variants. */
async function measureAll() {
  /** @type {(() => Promise<void>)[]} */
  const stops = [];
  try {
    const site = await startSite({ serverRendering: true });
    stops.push(site.stop);
    const read = (/** @type {string} */ path) => readDocument(site.url + path);
    const others = {
      "one bundle": await startOneBundle(read),
      plain: await startOneBundle(read, { plain: true }),
      enhanced: await startEnhanced(read),
    };
    stops.push(...Object.values(others).map(({ stop }) => stop));
    const browser = await chromium.launch(launchOptions());
    stops.push(() => browser.close());
    const urls = Object.fromEntries(Object.entries({ site, ...others }).map(([name, { url }]) => [name, url]));
    return { version: browser.version(), pages: await measurePaint(browser, urls, PATHS, RUNS) };
  } finally {
    for (const stop of stops.reverse()) await stop();
  }
}

const { version, pages } = await keepResult("first-paint", measureAll);
console.log(`Chromium ${version}; median of ${RUNS} loads`);
console.log(`${EMULATED}\n`);
for (const [path, variants] of Object.entries(pages)) {
  printRow([path, ...Object.keys(variants).flatMap((name, index) => (index === 0 ? [name] : [name, "ratio"]))]);
  for (const [mark, label] of MARKS) {
    const [site = NaN, ...others] = Object.values(variants).map((all) => median(all.map((marks) => marks[mark])));
    const cells = others.flatMap((time) => [`${time.toFixed(0)} ms`, (site / time).toFixed(2)]);
    printRow([label, `${site.toFixed(0)} ms`, ...cells]);
  }
  console.log();
}
