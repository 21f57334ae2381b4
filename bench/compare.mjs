// Compares the CPU time of a request with that of other servers, and response times at a fixed rate. See bench/README.md.
import { parseArgs } from "node:util";

import { asset, DOCUMENT } from "./bench-site.mjs";
import { h2loadCommand, measureTimes } from "./h2load.mjs";
import { withPeers } from "./peers.mjs";
import { keepResult } from "./results.mjs";
import { measureAll, measureCpu } from "./rounds.mjs";
import { cpuTable, latencyRatioTable, latencyTable, ratioTable } from "./tables.mjs";
import { wrkCommand } from "./wrk.mjs";

const ROUNDS = Number(process.env["ROUNDS"] ?? 15);
const SECONDS = 1;
const HEADERS = { "accept-encoding": "br" };

/** @typedef {import("./peers.mjs").Running} Running */
/** @typedef {import("./rounds.mjs").Case} Case */

/** @param {string} path @param {string} [script] */
const http1 =
  (path, script) =>
  (/** @type {Running} */ { plain }) => {
    const headers = { ...HEADERS, ...(script ? { origin: plain } : {}) };
    return wrkCommand(plain + path, { seconds: SECONDS, connections: 64, headers, ...(script ? { script } : {}) });
  };

/** @param {string} path @param {{ clients: number, streams: number }} load */
const http2 =
  (path, load) =>
  (/** @type {Running} */ { tls }) =>
    h2loadCommand(tls + path, { seconds: SECONDS, headers: HEADERS, ...load });

/** @type {Case[]} */
const CASES = [
  { name: "h1-1k", goal: 1, label: "HTTP/1.1, 1 KiB asset", command: http1(asset("1k")) },
  { name: "h1-10k", goal: 1, label: "HTTP/1.1, 10 KiB asset", command: http1(asset("10k")) },
  { name: "h1-60k", goal: 1.2, label: "HTTP/1.1, 60 KiB asset", command: http1(asset("60k")) },
  { name: "h1-document", goal: 1.1, label: "HTTP/1.1, cached document", command: http1(DOCUMENT) },
  {
    name: "h2-10k",
    goal: 0.96,
    label: "HTTP/2 and TLS, 10 KiB asset, 16 connections with 10 streams",
    command: http2(asset("10k"), { clients: 16, streams: 10 }),
  },
  {
    // Most visitors: each one opens a connection. The handshakes take part of the time.
    name: "h2-10k-one-stream",
    goal: 1.05,
    label: "HTTP/2 and TLS, 10 KiB asset, 256 connections with one stream",
    command: http2(asset("10k"), { clients: 256, streams: 1 }),
  },
  { name: "get", goal: 1.6, label: "HTTP/1.1, forwarded GET", command: http1("/api/bench/echo") },
  {
    name: "post",
    goal: 1.5,
    label: "HTTP/1.1, forwarded POST of 1 KB",
    command: http1("/api/bench/echo", "bench/post.lua"),
  },
];

/** A fixed rate of 6,000 requests per second, far below what each server can do. */
const RATE = { seconds: 5, clients: 60, perSecond: 100, headers: HEADERS };
/** @type {Case[]} */
const LATENCY_CASES = [
  {
    name: "h1-10k",
    label: "HTTP/1.1, 10 KiB asset",
    command: ({ plain }) => h2loadCommand(plain + asset("10k"), { ...RATE, isHttp1: true }),
  },
  {
    name: "h2-10k",
    goal: 1.1,
    label: "HTTP/2 and TLS, 10 KiB asset",
    command: ({ tls }) => h2loadCommand(tls + asset("10k"), RATE),
  },
];

const { values } = parseArgs({ options: { cases: { type: "string" }, peers: { type: "string" } } });
/** @param {Case} each */
const isChosen = ({ name }) => values.cases?.split(",").includes(name) ?? true;
const compare = () =>
  withPeers(
    async (running) => ({
      cpu: await measureAll(running, CASES.filter(isChosen), ROUNDS, measureCpu),
      latency: await measureAll(running, LATENCY_CASES.filter(isChosen), Math.ceil(ROUNDS / 2), (_, command) =>
        measureTimes(command),
      ),
    }),
    values.peers?.split(","),
  );
// A part of the table replaces no earlier result.
const { cpu, latency } = await (values.cases || values.peers ? compare() : keepResult("compare", compare));
console.log(ratioTable(cpu));
console.log(cpuTable(cpu));
if (latency.length > 0) {
  console.log(latencyTable(latency));
  console.log(latencyRatioTable(latency));
}
