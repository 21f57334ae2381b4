import { spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { createInterface } from "node:readline";

import { ROOT } from "./repository.mjs";

/** The folder of the example with live data. */
export const EVENTS = path.join(ROOT, "examples/events");

/**
 * A request in the log of the events API.
 *
 * @typedef {{ route: string, method: string, status: number, milliseconds: number }} EventsRequest
 */

/**
 * The running API of the example.
 *
 * @typedef {object} EventsApi
 * @property {string} url
 * @property {number} pid its process id
 * @property {EventsRequest[]} requests its log
 * @property {(signal: NodeJS.Signals) => void} signal sends a signal, such as SIGSTOP
 * @property {Promise<number | null>} exited its exit code, once it exits
 * @property {() => Promise<void>} stop ends it and waits
 */

/**
 * Starts the API of the example, and waits until it listens.
 *
 * @param {{ port?: number, log?: (line: string) => void }} [options] by default a free port
 * @returns {Promise<EventsApi>}
 */
export async function startEventsApi({ port = 0, log = () => undefined } = {}) {
  // Node.js itself, and not npm, so that signals reach the API.
  const child = spawn(process.execPath, [path.join(EVENTS, "api/main.js")], {
    env: { ...process.env, PORT: String(port) },
    stdio: ["ignore", "pipe", "inherit"],
  });
  /** @type {Promise<number | null>} */
  const exited = once(child, "exit").then(([code]) => code);
  /** @type {EventsRequest[]} */
  const requests = [];
  /** @type {string} */
  const url = await new Promise((resolve, reject) => {
    createInterface(child.stdout).on("line", (line) => {
      const entry = JSON.parse(line);
      if ("listening" in entry) resolve(entry.listening);
      else {
        requests.push(entry);
        log(line);
      }
    });
    void exited.then((code) => {
      reject(new Error(`the events API exited with code ${String(code)} before it was listening`));
    });
  });
  return {
    url,
    pid: /** @type {number} */ (child.pid),
    requests,
    exited,
    signal: (signal) => child.kill(signal),
    async stop() {
      child.kill("SIGCONT");
      child.kill("SIGTERM");
      await exited;
    },
  };
}

/**
 * The configuration table of the example's upstream.
 *
 * @param {string} url URL of the API
 * @param {import("./config.mjs").Table} [settings] further keys
 * @returns {import("./config.mjs").Table}
 */
export function eventsUpstream(url, settings = {}) {
  return {
    upstreams: { events: { path: "/api/events", urls: [url], methods: ["GET", "HEAD", "POST"], ...settings } },
  };
}
