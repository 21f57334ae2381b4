// The visitor of attacks.mjs, in a worker thread of its own.
import { once } from "node:events";
import http from "node:http";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { parentPort, workerData } from "node:worker_threads";

const INTERVAL_MS = 20;
const TIMEOUT_MS = 10_000;
/** One visit of so many is to a page that nobody has requested. */
const COLD = 4;

/** @typedef {{ isCold: boolean, time: number, isRendered: boolean }} Visit */

/** Requests a document over a new connection. Returns undefined if that fails. @param {string} url */
async function read(url) {
  const request = http.get(url, { agent: false, signal: AbortSignal.timeout(TIMEOUT_MS) });
  request.on("error", () => undefined);
  try {
    const [response] = await once(request, "response");
    const html = await text(response);
    return response.statusCode === 200 ? html : undefined;
  } catch {
    return undefined;
  }
}

/** @param {string} url @param {boolean} isCold @returns {Promise<Visit | undefined>} */
async function visit(url, isCold) {
  const start = performance.now();
  const html = await read(url);
  if (html === undefined) return undefined;
  return { isCold, time: performance.now() - start, isRendered: !html.includes('<div id="root"></div>') };
}

/** @type {{ url: string, seconds: number, paths: string[] }} */
const { url, seconds, paths } = workerData;
/** @type {Promise<Visit | undefined>[]} */
const visits = [];
// A constant rate, whether or not earlier visits have ended.
for (const start = performance.now(); performance.now() - start < seconds * 1000;) {
  const cold = visits.length % COLD === 0 ? paths[visits.length / COLD] : undefined;
  visits.push(visit(url + (cold ?? "/"), cold !== undefined));
  await sleep(INTERVAL_MS);
}
parentPort?.postMessage(await Promise.all(visits));
