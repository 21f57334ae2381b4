import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";

import { BACKEND_KEY } from "./config.mjs";
import { GATEWAY_BINARY } from "./repository.mjs";

/**
 * A running gateway.
 *
 * @typedef {object} Gateway
 * @property {string} site URL of the site listener
 * @property {string} admin URL of the admin listener
 * @property {number} pid its process id
 * @property {string[]} log the log lines so far
 * @property {() => Promise<void>} stop sends SIGTERM and waits for the process to exit
 * @property {Promise<number | null>} exited its exit code, once it exits
 */

/**
 * Starts the built gateway and waits until it is listening.
 *
 * @param {string} config path of its configuration file
 * @param {{ log?: (line: string) => void }} [options]
 * @returns {Promise<Gateway>}
 */
export async function startGateway(config, { log: onLine = () => undefined } = {}) {
  const child = spawn(GATEWAY_BINARY, ["serve", "--config", config], {
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, SIGNUP_BACKEND_KEY: BACKEND_KEY },
  });
  /** @type {Promise<number | null>} */
  const exited = once(child, "exit").then(([code]) => code);
  /** @type {string[]} */
  const log = [];
  const lines = createInterface(child.stdout);
  /** @type {Promise<{ site: string, admin: string }>} */
  const listening = new Promise((resolve, reject) => {
    lines.on("line", (line) => {
      log.push(line);
      onLine(line);
      const event = JSON.parse(line);
      if (event.event === "listening") resolve({ site: event.site, admin: event.admin });
    });
    child.on("error", (error) => {
      reject(new Error(`${GATEWAY_BINARY} failed to start (${error.message}); run "cargo build" first`));
    });
    void exited.then((code) => {
      reject(new Error(`the gateway exited with code ${String(code)} before it was listening`));
    });
  });
  const { site, admin } = await listening;
  return {
    pid: /** @type {number} */ (child.pid),
    site: `http://${site}`,
    admin: `http://${admin}`,
    log,
    exited,
    async stop() {
      child.kill("SIGTERM");
      await exited;
    },
  };
}
