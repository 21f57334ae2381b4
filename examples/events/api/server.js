import { once } from "node:events";
import { createServer } from "node:http";

import * as endpoints from "./endpoints.js";
import { HttpError, sendJson } from "./http.js";
import { Rsvps } from "./rsvps.js";

/** @typedef {import("./http.js").Request} Request */
/** @typedef {import("./http.js").Response} Response */
/** @typedef {(call: endpoints.Call) => void | Promise<void>} Endpoint */

/** The endpoints by path. A request takes the first pattern that matches. @type {readonly { pattern: string, methods: Readonly<Record<string, Endpoint>> }[]} */
const ROUTES = [
  { pattern: "/cities", methods: { GET: endpoints.listCities } },
  { pattern: "/cities/:city", methods: { GET: endpoints.listEvents } },
  { pattern: "/:event", methods: { GET: endpoints.showEvent } },
  { pattern: "/:event/places", methods: { GET: endpoints.showPlaces } },
  { pattern: "/:event/rsvps", methods: { POST: endpoints.addRsvp } },
].map(({ pattern, methods }) => ({ pattern, methods: methods.GET ? { ...methods, HEAD: methods.GET } : methods }));

/**
 * Matches a path against a pattern with at most one variable segment, which it returns decoded: "" if there is none.
 *
 * @param {string} pattern
 * @param {string} path
 * @returns {string | undefined} undefined if the path does not match
 */
function matchPath(pattern, path) {
  const match = new RegExp(`^${pattern.replace(/:\w+/, "([^/]*)")}$`).exec(path);
  try {
    return match ? decodeURIComponent(match[1] ?? "") : undefined;
  } catch {
    return undefined;
  }
}

/**
 * The log entry of a request. It has the route and not the path, which contains what visitors search for.
 *
 * @typedef {{ route: string, method: string, status: number, milliseconds: number }} LogEntry
 */

/**
 * Starts the API.
 *
 * @param {object} options
 * @param {number} options.port 0 for any free port
 * @param {() => Date} [options.now] the clock
 * @param {(entry: LogEntry) => void} [options.log]
 */
export async function startApi({ port, now = () => new Date(), log }) {
  const rsvps = new Rsvps();

  /** @param {Request} request @param {Response} response */
  async function handle(request, response) {
    const started = performance.now();
    const { pathname, searchParams: query } = new URL(request.url ?? "/", "http://api");
    const found = ROUTES.map((route) => ({ ...route, param: matchPath(route.pattern, pathname) })).find(
      ({ param }) => param !== undefined,
    );
    const method = request.method ?? "GET";
    response.on("close", () => {
      const milliseconds = Math.round(performance.now() - started);
      log?.({ route: found?.pattern ?? "unknown", method, status: response.statusCode, milliseconds });
    });
    try {
      if (found?.param === undefined) throw new HttpError(404, "There is nothing here.");
      const endpoint = /** @type {Readonly<Record<string, Endpoint>>} */ (found.methods)[method];
      if (!endpoint) throw new HttpError(405, "Method not allowed", { Allow: Object.keys(found.methods).join(", ") });
      await endpoint({ request, response, rsvps, param: found.param, query, now: now() });
    } catch (error) {
      if (!(error instanceof HttpError)) console.error(error);
      const { status, message, headers } =
        error instanceof HttpError ? error : new HttpError(500, "Something went wrong.");
      if (response.headersSent) response.destroy();
      else sendJson(response, { status, body: { error: message }, headers });
    }
  }

  const server = createServer((request, response) => void handle(request, response));
  server.requestTimeout = 10_000;
  // Longer than the gateway keeps an idle connection, so that it never reuses one that closes at that moment.
  server.keepAliveTimeout = 120_000;
  await once(server.listen(port, "127.0.0.1"), "listening");
  const address = /** @type {import("node:net").AddressInfo} */ (server.address());
  return {
    /** Its URL, without a trailing slash. */
    url: `http://127.0.0.1:${String(address.port)}`,
    /** Completes the requests in progress, and stops. */
    async close() {
      await new Promise((resolve) => {
        server.close(resolve);
        server.closeIdleConnections();
      });
    },
  };
}
