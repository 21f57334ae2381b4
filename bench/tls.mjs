// Measures new connections without TLS, with a full handshake, and with a resumed session. See bench/README.md.
import net from "node:net";
import tls from "node:tls";

import { asset } from "./bench-site.mjs";
import { withPeers } from "./peers.mjs";
import { cpuTime, waitUntilIdle } from "./processes.mjs";
import { median, printRow, ratioQuartiles } from "./report.mjs";

const ROUNDS = Number(process.env["ROUNDS"] ?? 5);
const CONNECTIONS = Number(process.env["CONNECTIONS"] ?? 1000);
const CONCURRENT = 4;
const REQUEST = `GET ${asset("1k")} HTTP/1.1\r\nhost: localhost\r\naccept-encoding: br\r\n\r\n`;

/** @typedef {import("./peers.mjs").Running} Running */
/** @typedef {{ label: string, version?: tls.SecureVersion, isResumed?: boolean }} Case without a version: no TLS */

/** @type {Case[]} */
const CASES = [
  { label: "plain HTTP" },
  { label: "TLS 1.3, full handshake", version: "TLSv1.3" },
  { label: "TLS 1.3, resumed", version: "TLSv1.3", isResumed: true },
  { label: "TLS 1.2, full handshake", version: "TLSv1.2" },
  { label: "TLS 1.2, resumed", version: "TLSv1.2", isResumed: true },
];

/** @param {string} url @param {tls.SecureVersion} version */
const tlsOptions = (url, version) => ({
  port: Number(new URL(url).port),
  servername: "localhost",
  rejectUnauthorized: false,
  maxVersion: version,
});

/**
 * Sends a request over a new connection, and closes it after the response.
 *
 * @param {() => net.Socket} connect
 * @param {boolean} isResumed
 */
function visit(connect, isResumed) {
  return new Promise((resolve, reject) => {
    const socket = connect();
    socket.once("error", reject).once("data", (data) => {
      const wasResumed = socket instanceof tls.TLSSocket && socket.isSessionReused();
      socket.destroy();
      if (wasResumed !== isResumed) reject(new Error(`expected a ${isResumed ? "resumed session" : "full handshake"}`));
      else if (String(data).startsWith("HTTP/1.1 200")) resolve(undefined);
      else reject(new Error(`unexpected response: ${data}`));
    });
    socket.write(REQUEST);
  });
}

/** The ticket of a first connection. @param {tls.ConnectionOptions} options @returns {Promise<Buffer>} */
function sessionOf(options) {
  return new Promise((resolve, reject) => {
    const socket = tls.connect(options);
    socket.once("session", (session) => {
      socket.destroy();
      resolve(session);
    });
    socket.once("error", reject).resume().write(REQUEST);
  });
}

/** Returns what opens a connection to a server. @param {Running} server @param {Case} each @returns {Promise<() => net.Socket>} */
async function connector({ plain, tls: encrypted }, { version, isResumed = false }) {
  if (!version) return () => net.connect(Number(new URL(plain).port), "127.0.0.1");
  const options = tlsOptions(encrypted, version);
  const session = isResumed ? await sessionOf(options) : undefined;
  return () => tls.connect(session ? { ...options, session } : options);
}

/** The CPU time of a server in milliseconds, when it is idle. @param {Running} server */
async function cpuOf({ pids }) {
  for (const pid of pids) await waitUntilIdle(pid);
  const times = await Promise.all(pids.map(cpuTime));
  return times.reduce((sum, time) => sum + time, 0);
}

/** Returns the server's CPU time of a connection in microseconds. @param {Running} server @param {Case} each */
async function measure(server, each) {
  const connect = await connector(server, each);
  const before = await cpuOf(server);
  let left = CONNECTIONS;
  const visitor = async () => {
    while (left-- > 0) await visit(connect, each.isResumed ?? false);
  };
  await Promise.all(Array.from({ length: CONCURRENT }, visitor));
  const after = await cpuOf(server);
  return (1000 * (after - before)) / CONNECTIONS;
}

await withPeers(
  async (running) => {
    const names = [...running.keys()];
    printRow(["CPU of a new connection", ...names, ...names.slice(1).map((name) => `÷ ${name}`)]);
    for (const each of CASES) {
      const times = new Map(names.map((name) => [name, /** @type {number[]} */ ([])]));
      // The first round warms up.
      for (let round = -1; round < ROUNDS; round += 1) {
        for (const [name, server] of round % 2 === 0 ? running : [...running].toReversed()) {
          const time = await measure(server, each);
          if (round >= 0) times.get(name)?.push(time);
        }
      }
      const [own = [], ...others] = times.values();
      const ratios = others.map((other) => (ratioQuartiles(own, other)[1] ?? NaN).toFixed(2));
      printRow([each.label, ...[own, ...others].map((all) => `${median(all).toFixed(0)} µs`), ...ratios]);
    }
  },
  ["nginx", "nginx-full"],
);
