// Compares paint and hydration times of the site with those of other builds of it. See bench/README.md.
import { startSite } from "../tests/support/site.mjs";
import { startEnhanced } from "./enhanced.mjs";
import { startOneBundle } from "./one-bundle.mjs";
import { EMULATED, launchForPaint, MARKS, measurePaint, measurePhases } from "./paint.mjs";
import { PHASES } from "./paint-phases.mjs";
import { median, printRow, readDocument } from "./report.mjs";
import { keepResult } from "./results.mjs";

const PATHS = ["/", "/state/California"];
const RUNS = Number(process.env["RUNS"] ?? 11);
/** Loads that are traced. */
const TRACES = Math.ceil(RUNS / 2);

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
    const browser = await launchForPaint();
    stops.push(() => browser.close());
    const urls = Object.fromEntries(Object.entries({ site, ...others }).map(([name, { url }]) => [name, url]));
    const pages = await measurePaint(browser, urls, PATHS, RUNS);
    const traced = { site: site.url, "one bundle": others["one bundle"].url };
    return { version: browser.version(), pages, phases: await measurePhases(browser, traced, PATHS, TRACES) };
  } finally {
    for (const stop of stops.reverse()) await stop();
  }
}

const { version, pages, phases } = await keepResult("first-paint", measureAll);
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
for (const [path, variants] of Object.entries(phases)) {
  printRow([`${path}: until ready`, ...Object.keys(variants)]);
  for (const phase of PHASES) {
    const times = Object.values(variants).map((all) => median(all.map((each) => each[phase] ?? NaN)));
    printRow([phase, ...times.map((time) => `${time.toFixed(0)} ms`)]);
  }
  console.log();
}
