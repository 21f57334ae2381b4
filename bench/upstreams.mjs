// Compares the CPU time of forwarding with nginx, of cached responses with static files, and of pages with and without
// queries. See bench/README.md.
import http from "node:http";
import { setTimeout as sleep } from "node:timers/promises";

import { startSite } from "../tests/support/site.mjs";
import { deployFixtureSection } from "./fixture-section.mjs";
import { startLoad } from "./load.mjs";
import { hasNginx, startNginx } from "./nginx.mjs";
import { childrenOf, cpuTime, pin, waitUntilIdle } from "./processes.mjs";
import { median, printRow, ratioQuartiles } from "./report.mjs";

const ROUNDS = Number(process.env["ROUNDS"] ?? 11);
const MILLISECONDS = Number(process.env["MILLISECONDS"] ?? 1000);
/** The cores of the gateway and nginx, and of the load and the upstream. */
const [SERVER_CORE, LOAD_CORE] = [0, 1];
/** Pages per round and kind of page. */
const PAGES = 40;
/** How long the results of queries are fresh, in seconds: longer than it takes to request the pages. */
const FRESH_SECONDS = 3;
const ITEMS = Array.from({ length: 100 }, (_, id) => ({ id, name: `Item number ${id}`, note: "x".repeat(50) }));
const LIST = JSON.stringify(ITEMS);
const FORM = `name=someone&note=${"x".repeat(1000)}`;
const QUERIES = ["/api/bench/query/first", "/api/bench/query/second"];

let answers = 0;
/** @type {Record<string, { cacheControl: string, body: () => string }>} by the first segment below `/api/bench` */
const ANSWERS = {
  list: { cacheControl: "max-age=600", body: () => LIST },
  // Differs each time, so that a page is rendered again once it is stale.
  query: {
    cacheControl: `max-age=${FRESH_SECONDS}`,
    body: () => JSON.stringify([{ id: (answers += 1), name: "New", note: "" }, ...ITEMS]),
  },
  echo: { cacheControl: "no-store", body: () => '{"ok":true}' },
};

const upstream = http.createServer((request, response) => {
  const answer = ANSWERS[String(request.url?.split("/")[3])];
  request.resume().on("end", () => {
    response.setHeader("content-type", "application/json");
    response.setHeader("cache-control", String(answer?.cacheControl));
    response.end(answer?.body());
  });
});
upstream.keepAliveTimeout = 0;

// Builds strings instead of React elements, so that the difference between the pages is the queries themselves.
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
      queries: () => ({ first: "${QUERIES[0]}", second: "${QUERIES[1]}" }),
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
  const headers = body === undefined ? {} : { "content-type": "application/x-www-form-urlencoded", origin: url };
  const { stop } = await startLoad(url, [path], { ...headers, "accept-encoding": "identity" }, body);
  await sleep(MILLISECONDS);
  const { requests, failed } = await stop();
  await waitUntilIdle(pid);
  if (failed > 0) throw new Error(`${label}: ${failed} requests failed`);
  cpu.push((((await cpuTime(pid)) - before) * 1000) / requests);
}

/**
 * Measures documents that no cache has. Returns the CPU time of the gateway and its workers, in milliseconds a page.
 *
 * @param {import("../tests/support/site.mjs").Site} site
 * @param {string} kind
 * @param {number} round
 */
async function renderPages({ url, gateway }, kind, round) {
  const pids = [gateway.pid, ...(await childrenOf(gateway.pid))];
  const total = async () => {
    for (const pid of pids) await waitUntilIdle(pid);
    return (await Promise.all(pids.map(cpuTime))).reduce((sum, time) => sum + time, 0);
  };
  // The results of the queries are in the cache, and as fresh as they get.
  for (const query of QUERIES) await (await fetch(url + query)).text();
  const before = await total();
  for (let page = 0; page < PAGES; page += 1) {
    const html = await (await fetch(`${url}/${kind}/${round}-${page}`)).text();
    if (!html.includes("Item number 99 ")) throw new Error(`/${kind} was not rendered on the server`);
  }
  return ((await total()) - before) / PAGES;
}

/**
 * Prints a row of two series: medians, and the quartiles of the ratios of each round.
 *
 * @param {string} label
 * @param {number[]} first
 * @param {number[]} second
 * @param {string} unit
 */
function printPair(label, first, second, unit) {
  const times = [first, second].map((values) => `${median(values).toFixed(1)} ${unit}`);
  const [low, middle, high] = ratioQuartiles(first, second).map((ratio) => ratio.toFixed(2));
  printRow([label, ...times, String(middle), `${low}–${high}`]);
}

// The gateway and nginx run on one core; the load and the upstream, which is in this process, on the other.
pin(SERVER_CORE);
await new Promise((resolve) => upstream.listen(0, "127.0.0.1", () => resolve(undefined)));
const { port } = /** @type {import("node:net").AddressInfo} */ (upstream.address());
const site = await startSite({
  serverRendering: true,
  config: {
    upstreams: {
      bench: {
        path: "/api/bench",
        urls: [`http://127.0.0.1:${port}/api/bench`],
        methods: ["GET", "HEAD", "POST"],
        rate_limit_per_client_per_minute: 1_000_000,
        max_concurrent_per_client: 128,
      },
    },
  },
});
const nginx = hasNginx() ? await startNginx({ upstream: `127.0.0.1:${port}` }) : undefined;
pin(LOAD_CORE);
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
  const forwarded = [undefined, FORM].map((body) => ({ path: "/api/bench/echo", body }));
  const pairs = [
    [
      target({ label: "cached response", url, pid, path: "/api/bench/list" }),
      target({ label: "static file", url, pid, path: `${folder}list.json` }),
    ],
    ...(nginx ? forwarded : []).map((request) => [
      target({ label: request.body ? "forwarded POST" : "forwarded GET", url, pid, ...request }),
      target({ label: "nginx", ...nginx, ...request }),
    ]),
  ];
  for (let round = -1; round < ROUNDS; round += 1) {
    // The second measurement benefits from warm caches, so the order alternates.
    for (const pair of pairs) for (const each of round % 2 === 0 ? pair : pair.toReversed()) await measure(each);
    // The first round warms up.
    if (round < 0) for (const each of pairs.flat()) each.cpu.length = 0;
  }
  console.log(`CPU time a request or page, medians of ${ROUNDS} rounds, and quartiles of their ratios\n`);
  printRow(["", "first", "second", "ratio", "quartiles"]);
  for (const [first, second] of pairs)
    if (first && second) printPair(`${first.label} ÷ ${second.label}`, first.cpu, second.cpu, "µs");
  if (!nginx) console.log("nginx is not installed: forwarding is not compared.");
  /** @type {{ plain: number[], warm: number[], first: number[] }} */
  const times = { plain: [], warm: [], first: [] };
  for (let round = -1; round < ROUNDS; round += 1) {
    const first = await renderPages(site, "queries", round);
    const stale = sleep(FRESH_SECONDS * 1000);
    const plain = await renderPages(site, "plain", round);
    await stale;
    // The queries of the pages are known now, and their results have changed.
    const warm = await renderPages(site, "queries", round);
    if (round < 0) continue;
    times.plain.push(plain);
    times.warm.push(warm);
    times.first.push(first);
  }
  printPair("page with two queries ÷ without", times.warm, times.plain, "ms");
  printPair("  its first render ÷ without", times.first, times.plain, "ms");
} finally {
  await nginx?.stop();
  await site.stop();
  upstream.close();
  upstream.closeAllConnections();
}
