// The attacks of attacks.mjs, as data. A worker thread runs one until it is terminated.
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import http from "node:http";
import net from "node:net";
import path from "node:path";
import { isMainThread, parentPort, workerData } from "node:worker_threads";

import { publish } from "@colonnade/kit/build";

import { deployFixtureSection, writeFixtureSection } from "./fixture-section.mjs";
import { readDocument } from "./report.mjs";

/**
 * What an attack aims at.
 *
 * @typedef {object} Target
 * @property {string} url URL of the site
 * @property {import("@colonnade/kit/build").AdminAccess} access
 * @property {string} folder of files that `setup` writes
 */

/**
 * An attack. Its load lasts until the thread ends.
 *
 * @typedef {object} Attack
 * @property {string} name of the option `--only`
 * @property {string} title
 * @property {(target: Target) => Promise<unknown>} [setup] prepares the store and the folder, once
 * @property {(target: Target) => Promise<unknown>} load starts the load
 * @property {number} [seconds] the time of a round, if not that of all attacks
 * @property {number} [restSeconds] the time from its end until memory is measured
 */

const CONNECTIONS_PER_CLIENT = 250;
/** Requests that are written at once. */
const BATCH = 64;
/** As many as one token may publish at once. */
const PUBLISHES = 3;
const PUBLISH_BYTES = 6 * 2 ** 20;
const NATIVE_MEMORY = `
const page = { data() { return new URLSearchParams("a=b&".repeat(5e6)).size; } };
export default { name: "native", contract: 1, pages: { "/native/:number": async () => ({ page }) } };
`;

/** A loopback address for each client. @param {number} client */
const addressOf = (client) => `127.0.${1 + (client >> 8)}.${client & 255}`;

/** @param {string} target @param {string} [fields] */
const get = (target, fields = "") => `GET ${target} HTTP/1.1\r\nhost: localhost\r\n${fields}\r\n`;

/** Opens a connection of a client. @param {string} url @param {number} client */
function connect(url, client) {
  const { hostname, port } = new URL(url);
  const socket = net.connect({ host: hostname, port: Number(port), localAddress: addressOf(client) });
  return socket.on("error", () => undefined).resume();
}

/** Opens a connection, and another one whenever it ends. @param {() => net.Socket} open */
function renew(open) {
  const socket = open();
  socket.on("close", () => renew(open));
  return socket;
}

/**
 * Opens connections of many clients, and renews those that end.
 *
 * @param {number} clients
 * @param {number} connections of each client
 * @param {(client: number) => net.Socket} open
 */
async function crowd(clients, connections, open) {
  for (let client = 0; client < clients; client += 1) {
    const sockets = Array.from({ length: connections }, () => renew(() => open(client)));
    await Promise.all(sockets.map((socket) => once(socket, "connect").catch(() => undefined)));
  }
}

/**
 * Sends requests over connections of one client as fast as the gateway reads them, without waiting for responses.
 *
 * @param {string} url
 * @param {number} connections
 * @param {() => string} request
 */
function flood(url, connections, request) {
  return crowd(1, connections, (client) => {
    const socket = connect(url, client);
    const send = () => {
      while (!socket.destroyed && socket.write(Array.from({ length: BATCH }, request).join("")));
    };
    return socket.on("connect", send).on("drain", send);
  });
}

/** Sends the same request over 60 connections. @param {string} name @param {string} title @param {string} request @returns {Attack} */
const costlyHead = (name, title, request) => ({ name, title, load: ({ url }) => flood(url, 60, () => request) });

/** Requests paths one after the other. @param {string} url @param {number} client @param {() => string} nextPath */
function requestInTurn(url, client, nextPath) {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1, localAddress: addressOf(client) });
  const next = () =>
    void http
      .get(url + nextPath(), { agent }, (response) => response.on("error", () => undefined).resume())
      .on("error", () => undefined)
      .on("close", next);
  next();
}

/** Sends a body of five bytes in five seconds. @param {string} url @param {number} client */
function sendSlowly(url, client) {
  const socket = connect(url, client);
  const fields = "sec-fetch-site: same-origin\r\ncontent-type: application/json\r\ncontent-length: 5\r\n";
  socket.write(`POST /_report HTTP/1.1\r\nhost: localhost\r\n${fields}\r\n`);
  const timer = setInterval(() => socket.write("1"), 1000);
  return socket.on("close", () => clearInterval(timer)).on("data", () => socket.destroy());
}

let invented = 0;
const inventedPath = () => `/state/Invented-${invented++}`;
const releaseFolder = (/** @type {string} */ folder, /** @type {number} */ number) =>
  path.join(folder, `large-${number}`);
const numbers = (/** @type {number} */ count) => Array.from({ length: count }, (_, number) => number);

/** @type {Attack[]} */
export const ATTACKS = [
  { name: "none", title: "no attack", load: async () => undefined },
  {
    name: "documents",
    title: "pipelined `/`, 250 connections",
    load: ({ url }) => flood(url, CONNECTIONS_PER_CLIENT, () => get("/", "accept-encoding: br\r\n")),
  },
  {
    name: "page-data",
    title: "pipelined `/_page`, 250 connections",
    async load({ url }) {
      const { boot } = await readDocument(`${url}/`);
      const request = get(`/_page/${boot.deployment}?path=/`, "accept-encoding: br\r\n");
      await flood(url, CONNECTIONS_PER_CLIENT, () => request);
    },
  },
  {
    name: "unfinished-heads",
    title: "10,000 unfinished heads of 40 clients, replaced",
    load: ({ url }) =>
      crowd(40, CONNECTIONS_PER_CLIENT, (client) => {
        const socket = connect(url, client);
        socket.write("GET / HTTP/1.1\r\nhost: local");
        return socket;
      }),
  },
  {
    name: "slow-bodies",
    title: "1,024 clients with a slow body each",
    load: ({ url }) => crowd(1024, 1, (client) => sendSlowly(url, client)),
  },
  costlyHead("cookies", "15 KB of cookies, 60 connections", get("/", `cookie: ${";".repeat(15_000)}\r\n`)),
  costlyHead("segments", "4,000 path segments, 60 connections", get("/a".repeat(4000))),
  costlyHead(
    "codings",
    "14 KB of Accept-Encoding, 60 connections",
    get("/", `accept-encoding: ${"a,".repeat(7000)}\r\n`),
  ),
  costlyHead("parameters", "3,500 query parameters, 60 connections", get(`/?${"a=1&".repeat(3500)}`)),
  {
    name: "invented-paths",
    title: "invented paths of 100 clients",
    load: async ({ url }) => numbers(100).forEach((client) => requestInTurn(url, client, inventedPath)),
  },
  {
    name: "refused-renders",
    title: "pipelined invented paths, 60 connections",
    load: ({ url }) => flood(url, 60, () => get(inventedPath())),
  },
  {
    name: "native-memory",
    title: "a render that fills native memory",
    setup: ({ access }) =>
      deployFixtureSection(access, { name: "native", patterns: ["/native/:number"], module: NATIVE_MEMORY }),
    load: async ({ url }) => requestInTurn(url, 0, () => `/native/${invented++}`),
  },
  {
    name: "publishes",
    title: "3 publishes of 6 MiB at once",
    async setup({ folder }) {
      for (const number of numbers(PUBLISHES)) {
        const bytes = randomBytes(PUBLISH_BYTES / 2).toString("hex");
        const files = { "data.txt": { type: "text/plain; charset=utf-8", bytes } };
        await writeFixtureSection(releaseFolder(folder, number), { name: "large", version: `1.0.${number}`, files });
      }
    },
    // Compressing a release of this size takes long.
    seconds: 15,
    load: ({ access, folder }) =>
      Promise.all(
        numbers(PUBLISHES).map(
          (number) =>
            // The upload has started, or the gateway has refused it.
            new Promise((resolve) => void publish(releaseFolder(folder, number), access, resolve).catch(resolve)),
        ),
      ),
  },
  {
    name: "crowd",
    title: "8,000 connections that leave",
    load: ({ url }) =>
      crowd(32, CONNECTIONS_PER_CLIENT, (client) => {
        const socket = connect(url, client);
        socket.write(get("/"));
        return socket;
      }),
    restSeconds: 15,
  },
];

if (!isMainThread && workerData?.attack) {
  const attack = ATTACKS.find(({ name }) => name === workerData.attack);
  await attack?.load(workerData.target);
  parentPort?.postMessage("started");
}
