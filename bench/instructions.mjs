// Counts the instructions and cache misses of a request with callgrind, and compares them with instructions.json. See
// bench/README.md.
import { once } from "node:events";
import { mkdtemp, readdir, readFile, writeFile } from "node:fs/promises";
import http from "node:http";
import http2 from "node:http2";
import path from "node:path";
import { parseArgs } from "node:util";

import { asset, DOCUMENT, publishBenchSite, startBenchGateway } from "./bench-site.mjs";
import { firstLine, run } from "./command.mjs";
import { pin } from "./processes.mjs";
import { printRow, readRaw } from "./report.mjs";

const FILE = path.join(import.meta.dirname, "instructions.json");
/** How much a count may differ from the recorded one. */
const TOLERANCE = 0.03;
/** The same for cache misses, which depend on the addresses of the memory that the gateway gets. */
const MISS_TOLERANCE = 0.1;
const WARM_UP = 500;
const REQUESTS = 2000;
/** How many connections take turns where cache misses are counted. */
const CONNECTIONS = 1000;
/** The caches that callgrind simulates. Its last level has the size of an L2 cache. */
const CACHES = ["--cache-sim=yes", "--I1=32768,8,64", "--D1=32768,8,64", "--LL=1048576,8,64"];

/** @typedef {import("./bench-site.mjs").BenchSite} BenchSite */
/** @typedef {() => Promise<unknown>} Send sends a request over an open connection, and reads the response */
/** @typedef {{ compiler: string, instructions: Record<string, number>, misses: Record<string, number> }} Recorded */

/**
 * Starts a gateway under callgrind. Returns what counts the events of a request, such as its instructions, `Ir`.
 *
 * @param {BenchSite} site
 * @param {{ upstream: string, isEncrypted: boolean }} options
 * @param {string[]} [flags] of callgrind
 */
async function startCounted(site, options, flags = []) {
  const folder = await mkdtemp(path.join(site.folder, "callgrind-"));
  const wrapper = ["valgrind", `--log-file=${folder}/log`, "--tool=callgrind", "--instr-atstart=no", ...flags];
  const gateway = await startBenchGateway(site, {
    ...options,
    // Valgrind cannot start the workers, which are the program itself: `/proc/self/exe` is Valgrind.
    isRendering: false,
    wrapper: [...wrapper, `--callgrind-out-file=${folder}/out`, `--vgdb-prefix=${folder}/vgdb`],
  });
  /** @param {string[]} words */
  const control = (...words) => run(["vgdb", `--vgdb-prefix=${folder}/vgdb`, `--pid=${gateway.pid}`, ...words]);
  return {
    ...gateway,
    /** @param {Send} send @param {number} [connections] @returns {Promise<Record<string, number>>} */
    async count(send, connections = 1) {
      agent.maxSockets = connections;
      const sendAll = async (/** @type {number} */ requests) => {
        for (let sent = 0; sent < requests; sent += connections)
          await Promise.all(Array.from({ length: connections }, send));
      };
      await control("instrumentation", "on");
      await sendAll(WARM_UP);
      await control("zero");
      await sendAll(REQUESTS);
      await control("dump");
      await control("instrumentation", "off");
      const dumps = (await readdir(folder)).filter((name) => /^out\.\d+$/.test(name));
      const last = Math.max(...dumps.map((name) => Number(name.slice(4))));
      const dump = await readFile(path.join(folder, `out.${last}`), "utf8");
      const totals = /^(?:totals|summary): (.*)/m.exec(dump)?.[1]?.split(" ") ?? [];
      const events = /^events: (.*)/m.exec(dump)?.[1]?.split(" ") ?? [];
      return Object.fromEntries(events.map((event, index) => [event, Number(totals[index]) / REQUESTS]));
    },
  };
}

const agent = new http.Agent({ keepAlive: true, scheduling: "fifo", maxFreeSockets: CONNECTIONS });

/** @param {string} url @param {number} status @param {http.OutgoingHttpHeaders} [headers] @returns {Send} */
const sendHttp1 =
  (url, status, headers = {}) =>
  () =>
    new Promise((resolve, reject) => {
      const request = http.get(url, { agent, headers: { "accept-encoding": "br", ...headers } }, (response) => {
        if (response.statusCode !== status) reject(new Error(`${url} returned ${response.statusCode}`));
        response.resume().once("end", resolve);
      });
      request.once("error", reject);
    });

/** @param {http2.ClientHttp2Session} session @param {string} url @returns {Send} */
const sendHttp2 = (session, url) => async () => {
  const stream = session.request({ ":path": url, "accept-encoding": "br" });
  const [headers] = await once(stream, "response");
  if (headers[":status"] !== 200) throw new Error(`${url} returned ${headers[":status"]}`);
  await once(stream.resume(), "end");
};

/**
 * @param {BenchSite} site
 * @param {string} upstream
 */
async function countInstructions(site, upstream) {
  const plain = await startCounted(site, { upstream, isEncrypted: false });
  const { etag } = (await readRaw(plain.url + asset("10k"), "br")).headers;
  const counts = {
    "asset, HTTP/1.1": await plain.count(sendHttp1(plain.url + asset("10k"), 200)),
    "cached document": await plain.count(sendHttp1(plain.url + DOCUMENT, 200)),
    "304 for an asset": await plain.count(sendHttp1(plain.url + asset("10k"), 304, { "if-none-match": etag })),
    "forwarded GET": await plain.count(sendHttp1(`${plain.url}/api/bench/echo`, 200)),
  };
  await plain.stop();
  const encrypted = await startCounted(site, { upstream, isEncrypted: true });
  const session = http2.connect(encrypted.url, { rejectUnauthorized: false });
  const all = { ...counts, "asset, HTTP/2 and TLS": await encrypted.count(sendHttp2(session, asset("10k"))) };
  session.close();
  await encrypted.stop();
  return Object.fromEntries(Object.entries(all).map(([name, { Ir = NaN }]) => [name, Math.round(Ir)]));
}

/**
 * Counts the misses of an asset over HTTP/1.1: with many connections, the state of each is cold.
 *
 * @param {BenchSite} site
 * @param {string} upstream
 */
async function countMisses(site, upstream) {
  const gateway = await startCounted(site, { upstream, isEncrypted: false }, CACHES);
  const counts = await gateway.count(sendHttp1(gateway.url + asset("10k"), 200), CONNECTIONS);
  await gateway.stop();
  const sum = (/** @type {string[]} */ events) => events.reduce((total, event) => total + (counts[event] ?? NaN), 0);
  return { "L1 data": Math.round(sum(["D1mr", "D1mw"])), L2: Math.round(sum(["ILmr", "DLmr", "DLmw"])) };
}

async function countAll() {
  const site = await publishBenchSite();
  const upstream = http.createServer((request, response) => {
    response.setHeader("cache-control", "no-store").end(String(request.url));
  });
  upstream.keepAliveTimeout = 0;
  await once(upstream.listen(0, "127.0.0.1"), "listening");
  const { port } = /** @type {import("node:net").AddressInfo} */ (upstream.address());
  const address = `127.0.0.1:${port}`;
  // With several threads, the count would depend on which one wakes up.
  pin(0);
  try {
    return { instructions: await countInstructions(site, address), misses: await countMisses(site, address) };
  } finally {
    agent.destroy();
    upstream.close();
    upstream.closeAllConnections();
    await site.remove();
  }
}

const { values } = parseArgs({ options: { update: { type: "boolean" } } });
const compiler = firstLine(["rustc", "--version"]) ?? "";
const counts = await countAll();
if (values.update) await writeFile(FILE, `${JSON.stringify({ compiler, ...counts }, undefined, 2)}\n`);
/** @type {Recorded} */
const recorded = JSON.parse(await readFile(FILE, "utf8"));
for (const [kind, title, tolerance] of /** @type {const} */ ([
  ["instructions", "instructions of a request", TOLERANCE],
  ["misses", `cache misses with ${CONNECTIONS} connections`, MISS_TOLERANCE],
])) {
  printRow([title, "recorded", "now", "ratio"]);
  for (const [name, count] of Object.entries(counts[kind])) {
    const before = recorded[kind]?.[name] ?? NaN;
    const ratio = count / before;
    printRow([name, String(before), String(count), ratio.toFixed(3)]);
    // An improvement fails, too: the next change would be compared with the old number.
    if (!(Math.abs(ratio - 1) <= tolerance)) process.exitCode = 1;
  }
}
if (process.exitCode) {
  console.error(
    `A count differs by more than ${TOLERANCE * 100}%, or ${MISS_TOLERANCE * 100}% of misses. If that is intended: node bench/instructions.mjs --update`,
  );
  if (recorded.compiler !== compiler)
    console.error(`The counts were recorded with ${recorded.compiler}; this is ${compiler}.`);
}
