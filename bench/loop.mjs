// What a section whose render never ends costs everybody else: bench/README.md.
import http from "node:http";

import { startSite } from "../tests/support/site.mjs";
import { median, printRow, readDocument } from "./figures.mjs";
import { deployFixture } from "./fixture.mjs";
import { loadFor } from "./load.mjs";

const PAGES = ["/", "/state/California", "/city/Texas/Austin", "/terms"];
const PATTERN = "/loop/:number";
const LOOP = `
const page = { data() { for (;;); } };
export default { name: "loop", contract: 1, pages: { ${JSON.stringify(PATTERN)}: async () => ({ page }) } };
`;
const ROUNDS = Number(process.env["ROUNDS"] ?? 5);
const SECONDS = Number(process.env["SECONDS"] ?? 30);
/** How often a page of the section that loops is asked for. */
const PAUSE_MS = 20;

/** Asks for pages that loop, at a steady rate, until it is stopped. @param {string} url */
function startLooping(url) {
  const agent = new http.Agent({ keepAlive: true });
  /** @type {number[]} */
  const times = [];
  let turn = 0;
  const timer = setInterval(() => {
    const asked = performance.now();
    const request = http.get(`${url}/loop/${turn++}`, { agent }, (response) => {
      response.resume().on("end", () => times.push(performance.now() - asked));
    });
    // Those that are still under way at the end are cut off.
    request.on("error", () => undefined);
  }, PAUSE_MS);
  return () => {
    clearInterval(timer);
    agent.destroy();
    return median(times);
  };
}

/** @param {string} url */
async function everythingOf(url) {
  const documents = await Promise.all(PAGES.map((page) => readDocument(url + page)));
  const assets = documents.flatMap(({ html }) => html.match(/\/assets\/[^"]+/g) ?? []);
  return [...PAGES, ...new Set(assets)];
}

// The gateway's own settings; and the same where a section may fail for ever.
const guarded = await startSite({ changes: { render: { enabled: true } } });
const unguarded = await startSite({ like: guarded, changes: { render: { enabled: true, failures: 1_000_000 } } });
try {
  for (const { access } of [guarded, unguarded])
    await deployFixture(access, { name: "loop", patterns: [PATTERN], module: LOOP });
  const cases = [
    { what: "alone", site: guarded, loops: false },
    { what: "beside a section that loops", site: guarded, loops: true },
    { what: "the same, and it is never left alone", site: unguarded, loops: true },
  ].map((one) => ({ ...one, loads: /** @type {import("./load.mjs").Load[]} */ ([]), waits: [NaN] }));
  const paths = await everythingOf(guarded.url);
  await everythingOf(unguarded.url);
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const { site, loops, loads, waits } of cases) {
      const stop = loops ? startLooping(site.url) : undefined;
      loads.push(await loadFor(SECONDS, site.url, paths));
      if (stop) waits.push(stop());
    }
  }
  const of = (/** @type {typeof cases[number]} */ { loads }, /** @type {"perSecond" | "median" | "p99"} */ what) =>
    median(loads.map((load) => load[what]));
  const [alone] = /** @type {[typeof cases[number]]} */ (/** @type {unknown} */ (cases));
  console.log(`Medians of ${ROUNDS} rounds of ${SECONDS} s; ${1000 / PAUSE_MS} pages that loop a second\n`);
  printRow(["pages and assets", "a second", "ratio", "median", "99 %", "failed", "loop page"]);
  for (const one of cases) {
    const failed = one.loads.reduce((sum, load) => sum + load.failed, 0);
    const times = [of(one, "median"), of(one, "p99")].map((time) => `${time.toFixed(2)} ms`);
    const wait = one.loops ? `${median(one.waits.slice(1)).toFixed(1)} ms` : "";
    const ratio = of(one, "perSecond") / of(alone, "perSecond");
    printRow([one.what, of(one, "perSecond").toFixed(0), ratio.toFixed(2), ...times, String(failed), wait]);
  }
} finally {
  await unguarded.stop();
  await guarded.stop();
}
