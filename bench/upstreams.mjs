// Compares the CPU time of forwarding with nginx, of cached responses with static files, and of pages with and without
// queries. See bench/README.md.
import http from "node:http";

import { startSite } from "../tests/support/site.mjs";
import { deployFixtureSection } from "./fixture-section.mjs";
import { startLoad } from "./load.mjs";
import { hasNginx, startNginx } from "./nginx.mjs";
import { childrenOf, cpuTime, waitUntilIdle } from "./processes.mjs";
import { median, printRow } from "./report.mjs";

const ROUNDS = Number(process.env["ROUNDS"] ?? 11);
const MILLISECONDS = 1000;
/** Pages per round and kind of page. */
const PAGES = 40;
const ITEMS = Array.from({ length: 100 }, (_, id) => ({ id, name: `Item number ${id}`, note: "x".repeat(50) }));
const LIST = JSON.stringify(ITEMS);
const FORM = `name=someone&note=${"x".repeat(1000)}`;

/** An upstream: `/cached…` may be cached for a minute, everything else must not be stored. */
const upstream = http.createServer((request, response) => {
  request.resume().on("end", () => {
    response.setHeader("content-type", "application/json");
    response.setHeader("cache-control", request.url?.startsWith("/api/cached") ? "max-age=60" : "no-store");
    response.end(request.url?.startsWith("/api/cached") ? LIST : '{"ok":true}');
  });
});

// Renders the items with React-free string building, so that the difference between the pages is the queries themselves.
const MODULE = `
const items = ${LIST};
const list = (items) => items.map(({ name, note }) => name + " " + note).join(", ");
const head = () => ({ title: "Page", description: "Page", canonical: "/" });
const page = (members) => () => Promise.resolve({ page: { head, Component: ({ data }) => list(data), ...members } });
export default {
  name: "bench", contract: 1,
  pages: {
    "/plain/:id": page({ data: () => [...items, ...items] }),
    "/queries/:id": page({
      queries: () => ({ first: "/api/cached/first", second: "/api/cached/second" }),
      data: ({ results: { first, second } }) => [...first.value, ...second.value],
    }),
  },
};`;

/**
 * @typedef {object} Target
 * @property {string} label
 * @property {string} url
 * @property {string} path
 * @property {number} pid
 * @property {string} [body]
 * @property {number[]} cpu microseconds a request, by round
 */

/** Measures a round of load. @param {Target} target */
async function measure({ label, url, path, pid, body, cpu }) {
  await waitUntilIdle(pid);
  const before = await cpuTime(pid);
  const headers = body === undefined ? {} : { "content-type": "application/x-www-form-urlencoded" };
  const { stop } = await startLoad(url, [path], { ...headers, "accept-encoding": "identity" }, body);
  await new Promise((resolve) => setTimeout(resolve, MILLISECONDS));
  const { requests, failed } = await stop();
  await waitUntilIdle(pid);
  if (failed > 0) throw new Error(`${label}: ${failed} requests failed`);
  cpu.push((((await cpuTime(pid)) - before) * 1000) / requests);
}

/** Measures rendering pages that no cache has. Returns milliseconds a page. @param {import("../tests/support/site.mjs").Site} site */
async function renderPages({ url, gateway }, /** @type {string} */ kind, /** @type {number} */ round) {
  const pids = [gateway.pid, ...(await childrenOf(gateway.pid))];
  const total = async () => {
    for (const pid of pids) await waitUntilIdle(pid);
    return (await Promise.all(pids.map(cpuTime))).reduce((sum, time) => sum + time, 0);
  };
  const before = await total();
  for (let page = 0; page < PAGES; page += 1) {
    const html = await (await fetch(`${url}/${kind}/${round}-${page}`)).text();
    if (!html.includes("Item number 99 ")) throw new Error(`/${kind} was not rendered on the server`);
  }
  return ((await total()) - before) / PAGES;
}

/** Prints a pair of targets. @param {Target} target @param {Target} reference */
function printPair(target, reference) {
  const ratios = target.cpu.map((time, round) => time / Number(reference.cpu[round]));
  const cells = [median(target.cpu), median(reference.cpu)].map((time) => `${time.toFixed(1)} µs`);
  printRow([`${target.label} ÷ ${reference.label}`, ...cells, median(ratios).toFixed(2)]);
}

await new Promise((resolve) => upstream.listen(0, "127.0.0.1", () => resolve(undefined)));
const { port } = /** @type {import("node:net").AddressInfo} */ (upstream.address());
const site = await startSite({
  serverRendering: true,
  config: {
    upstreams: {
      bench: {
        path: "/api",
        urls: [`http://127.0.0.1:${port}/api`],
        methods: ["GET", "HEAD", "POST"],
        rate_limit_per_client_per_minute: 1_000_000,
      },
    },
  },
});
const nginx = hasNginx() ? await startNginx(`127.0.0.1:${port}`) : undefined;
try {
  const file = { type: "application/json", bytes: LIST };
  const patterns = ["/plain/:id", "/queries/:id"];
  const folder = await deployFixtureSection(site.access, {
    name: "bench",
    module: MODULE,
    patterns,
    files: { "list.json": file },
  });
  const { url } = site;
  const { pid } = site.gateway;
  /** @param {Omit<Target, "cpu">} target @returns {Target} */
  const target = (target) => ({ ...target, cpu: [] });
  const pairs = [
    [
      target({ label: "cached response", url, pid, path: "/api/cached/list" }),
      target({ label: "static file", url, pid, path: `${folder}list.json` }),
    ],
    ...(nginx
      ? [undefined, FORM].map((body) => [
          target({ label: body ? "forwarded POST" : "forwarded GET", url, pid, path: "/api/echo", body }),
          target({ label: "nginx", ...nginx, path: "/api/echo", body }),
        ])
      : []),
  ];
  for (let round = -1; round < ROUNDS; round += 1) {
    // The second measurement benefits from warm caches, so the order alternates.
    for (const pair of pairs) for (const each of round % 2 === 0 ? pair : pair.toReversed()) await measure(each);
    // The first round warms up.
    if (round < 0) for (const each of pairs.flat()) each.cpu.length = 0;
  }
  console.log(`CPU time a request, medians of ${ROUNDS} rounds of ${MILLISECONDS} ms\n`);
  printRow(["", "first", "second", "ratio"]);
  for (const [first, second] of pairs) if (first && second) printPair(first, second);
  if (!nginx) console.log("nginx is not installed: forwarding is not compared.");
  /** @type {{ plain: number[], queries: number[] }} */
  const times = { plain: [], queries: [] };
  for (let round = -1; round < ROUNDS; round += 1) {
    const kinds = /** @type {const} */ (["plain", "queries"]);
    for (const kind of round % 2 === 0 ? kinds : kinds.toReversed()) {
      const time = await renderPages(site, kind, round);
      if (round >= 0) times[kind].push(time);
    }
  }
  const ratios = times.queries.map((time, round) => time / Number(times.plain[round]));
  const cells = [median(times.queries), median(times.plain)].map((time) => `${time.toFixed(1)} ms`);
  printRow(["page with two queries ÷ without", ...cells, median(ratios).toFixed(2)]);
} finally {
  await nginx?.stop();
  await site.stop();
  upstream.close();
}
