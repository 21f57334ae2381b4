import http from "node:http";
import net from "node:net";

const PAGES = ["/", "/state/California", "/city/Texas/Austin", "/terms"];

/** The connections of each kind. */
const CONNECTIONS = 4;

/**
 * Requests pages until stopped, over connections that stay open and over new ones. The result counts failures by cause.
 *
 * @param {string} url
 * @param {string[]} [pages] their paths
 */
export function startVisitors(url, pages = PAGES) {
  let [isStopped, failed, turn] = [false, 0, 0];
  /** @type {number[]} */
  const times = [];
  /** @type {Map<string, number>} */
  const causes = new Map();
  /** @param {string} cause */
  const count = (cause) => {
    failed += 1;
    causes.set(cause, (causes.get(cause) ?? 0) + 1);
  };
  /** @param {http.Agent} agent @returns {Promise<void>} */
  const request = (agent) =>
    new Promise((resolve) => {
      const sent = performance.now();
      const page = pages[turn++ % pages.length] ?? "/";
      /** @param {Error} error */
      const fail = ({ message }) => {
        count(`${message} at ${page}`);
        resolve();
      };
      http
        .get(url + page, { agent }, (response) => {
          if (response.statusCode !== 200) {
            // A load balancer responds without an ID.
            const by = response.headers["x-request-id"] === undefined ? "load balancer" : "gateway";
            count(`${response.statusCode} of the ${by} at ${page}`);
          }
          response.resume().on("error", fail);
          response.on("end", () => {
            times.push(performance.now() - sent);
            resolve();
          });
        })
        .on("error", fail);
    });
  /** @param {boolean} keepAlive */
  async function visit(keepAlive) {
    const agent = new http.Agent({ keepAlive, maxSockets: 1 });
    while (!isStopped) await request(agent);
    agent.destroy();
  }
  const visitors = [true, false].flatMap((keepAlive) => Array.from({ length: CONNECTIONS }, () => visit(keepAlive)));
  return async () => {
    isStopped = true;
    await Promise.all(visitors);
    return { times, failed, causes };
  };
}

/**
 * Sends a request whose body never arrives.
 *
 * @param {string} url
 * @returns {Promise<net.Socket>}
 */
export async function stall(url) {
  const { hostname, port } = new URL(url);
  const socket = net.connect(Number(port), hostname);
  socket.on("error", () => undefined);
  await new Promise((resolve) => socket.once("connect", resolve));
  const head = ["POST /_report HTTP/1.1", `host: ${hostname}:${port}`, "sec-fetch-site: same-origin"];
  socket.write([...head, "content-type: application/json", "content-length: 9", "", "{"].join("\r\n"));
  return socket;
}
