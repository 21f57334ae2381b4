// Measures the impact of a section whose render never ends on the rest of the site. See bench/README.md.
import http from "node:http";

import { startSite } from "../tests/support/site.mjs";
import { assetsOf, median, printRow, readDocument } from "./report.mjs";
import { deployFixtureSection } from "./fixture-section.mjs";
import { loadFor } from "./load.mjs";

const PAGES = ["/", "/state/California", "/city/Texas/Austin", "/terms"];
const PATTERN = "/loop/:number";
const LOOP = `
const page = { data() { for (;;); } };
export default { name: "loop", contract: 1, pages: { ${JSON.stringify(PATTERN)}: async () => ({ page }) } };
`;
const ROUNDS = Number(process.env["ROUNDS"] ?? 5);
const SECONDS = Number(process.env["SECONDS"] ?? 30);
/** Interval between requests for pages of the looping section. */
const INTERVAL_MS = 20;

/** Requests looping pages at a constant rate until stopped. Stopping returns the median time. @param {string} url */
function startLoopRequests(url) {
  const agent = new http.Agent({ keepAlive: true });
  /** @type {number[]} */
  const times = [];
  let turn = 0;
  const timer = setInterval(() => {
    const sent = performance.now();
    const request = http.get(`${url}/loop/${turn++}`, { agent }, (response) => {
      response.resume().on("end", () => times.push(performance.now() - sent));
    });
    // Stopping aborts the requests in flight.
    request.on("error", () => undefined);
  }, INTERVAL_MS);
  return () => {
    clearInterval(timer);
    agent.destroy();
    return median(times);
  };
}

/** @param {string} url */
async function pagesAndAssets(url) {
  const documents = await Promise.all(PAGES.map((page) => readDocument(url + page)));
  const assets = documents.flatMap(({ html }) => assetsOf(html));
  return [...PAGES, ...new Set(assets)];
}

// The default settings, and the same with a circuit breaker that never opens.
const withBreaker = await startSite({ config: { render: { enabled: true } } });
const withoutBreaker = await startSite({
  base: withBreaker,
  config: { render: { enabled: true, breaker_failure_threshold: 1_000_000 } },
});
try {
  for (const { access } of [withBreaker, withoutBreaker])
    await deployFixtureSection(access, { name: "loop", patterns: [PATTERN], module: LOOP });
  const cases = [
    { label: "no looping section", site: withBreaker, loops: false },
    { label: "looping section", site: withBreaker, loops: true },
    { label: "looping section, no circuit breaker", site: withoutBreaker, loops: true },
  ].map((each) => ({ ...each, loads: /** @type {import("./load.mjs").Load[]} */ ([]), waits: [NaN] }));
  const paths = await pagesAndAssets(withBreaker.url);
  await pagesAndAssets(withoutBreaker.url);
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const { site, loops, loads, waits } of cases) {
      const stop = loops ? startLoopRequests(site.url) : undefined;
      loads.push(await loadFor(SECONDS, site.url, paths));
      if (stop) waits.push(stop());
    }
  }
  const medianOf = (/** @type {typeof cases[number]} */ { loads }, /** @type {"perSecond" | "median" | "p99"} */ key) =>
    median(loads.map((load) => load[key]));
  const [baseline] = /** @type {[typeof cases[number]]} */ (/** @type {unknown} */ (cases));
  console.log(`Medians of ${ROUNDS} rounds of ${SECONDS} s; ${1000 / INTERVAL_MS} looping pages per second\n`);
  printRow(["pages and assets", "requests/s", "ratio", "median", "p99", "failed", "loop page"]);
  for (const each of cases) {
    const failed = each.loads.reduce((sum, load) => sum + load.failed, 0);
    const times = [medianOf(each, "median"), medianOf(each, "p99")].map((time) => `${time.toFixed(2)} ms`);
    const wait = each.loops ? `${median(each.waits.slice(1)).toFixed(1)} ms` : "";
    const ratio = medianOf(each, "perSecond") / medianOf(baseline, "perSecond");
    printRow([each.label, medianOf(each, "perSecond").toFixed(0), ratio.toFixed(2), ...times, String(failed), wait]);
  }
} finally {
  await withoutBreaker.stop();
  await withBreaker.stop();
}
