// A sign-up backend for development and tests. The local part of the e-mail address selects the response:
//
//   redirect@   200 {"redirectUrl":"/terms"}
//   away@       200 {"redirectUrl":"https://members.example.com/welcome"}
//   evil@       200 {"redirectUrl":"https://evil.example/"}
//   reject@     409 {"error":"This email address is already registered."}
//   wordless@   500 {}
//   html@       200 with an HTML page
//   rubbish@    200 with broken JSON
//   list@       200 []
//   stall@      accepts the request and never responds
//   slow@       200 {}, after POST /_release
//   die@        closes the connection
//   anything    200 {}
//
// It is also the development partner: GET /partner returns the partner's page. For tests, GET /_requests lists the
// last 100 sign-ups and DELETE /_requests clears them. Bodies stay in memory and are never logged.
import { createServer } from "node:http";
import { fileURLToPath } from "node:url";

const SIGNUP_PATH = "/functions/v1/signup";
const MAX_RECORDED = 100;
const BODY_LIMIT = 64 * 1024;

/** @typedef {import("node:http").IncomingMessage} Request */
/** @typedef {import("node:http").ServerResponse} Response */

/**
 * A recorded sign-up request.
 *
 * @typedef {object} Received
 * @property {unknown} body the parsed body, or null if it is not JSON
 * @property {boolean} authorized whether it has the correct bearer key
 */

/**
 * A running backend.
 *
 * @typedef {object} Backend
 * @property {string} url its URL, without a trailing slash
 * @property {number} port
 * @property {() => Received[]} requests the recorded sign-ups, oldest first
 * @property {() => number} release sends the held responses and returns their number
 * @property {() => Promise<void>} close closes every connection and stops the server
 */

const PARTNER_PAGE = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Development partner</title><link rel="icon" href="data:,"></head>
<body><h1>Development partner</h1><p>This page stands in for a partner's site. Nothing is kept here.</p></body>
</html>
`;

/**
 * @param {Response} response
 * @param {number} status
 * @param {unknown} body
 */
function sendJson(response, status, body) {
  send(response, status, "application/json", JSON.stringify(body));
}

/**
 * @param {Response} response
 * @param {number} status
 * @param {string} type
 * @param {string} text
 */
function send(response, status, type, text) {
  response.writeHead(status, { "Content-Type": type, "Cache-Control": "no-store" }).end(text);
}

/**
 * Reads a request body. Returns null if it exceeds BODY_LIMIT.
 *
 * @param {Request} request
 */
async function readText(request) {
  /** @type {Buffer[]} */
  const chunks = [];
  let length = 0;
  for await (const chunk of request) {
    length += chunk.length;
    if (length > BODY_LIMIT) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

/**
 * @param {string} text
 * @returns {unknown}
 */
function parseJson(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Returns the local part of a sign-up's e-mail address, or null if there is none. @param {unknown} body */
function localPart(body) {
  if (typeof body !== "object" || body === null || !("email" in body) || typeof body.email !== "string") return null;
  const at = body.email.indexOf("@");
  return at > 0 ? body.email.slice(0, at) : null;
}

/**
 * Starts a backend on the loopback interface.
 *
 * @param {{ port?: number, key: string }} options `port` 0, the default, selects a free port; `key` is the
 *   bearer key that sign-ups must have
 * @returns {Promise<Backend>}
 */
export async function startBackend({ port = 0, key }) {
  /** @type {Received[]} */
  let received = [];
  /** @type {Set<Response>} */
  const held = new Set();

  function release() {
    const responses = [...held];
    held.clear();
    for (const response of responses) sendJson(response, 200, {});
    return responses.length;
  }

  /** @type {Record<string, (response: Response) => void>} */
  const responders = {
    redirect: (response) => sendJson(response, 200, { redirectUrl: "/terms" }),
    away: (response) => sendJson(response, 200, { redirectUrl: "https://members.example.com/welcome" }),
    evil: (response) => sendJson(response, 200, { redirectUrl: "https://evil.example/" }),
    reject: (response) => sendJson(response, 409, { error: "This email address is already registered." }),
    wordless: (response) => sendJson(response, 500, {}),
    html: (response) => send(response, 200, "text/html; charset=utf-8", "<!doctype html><title>Welcome</title>"),
    rubbish: (response) => send(response, 200, "application/json", '{"redirectUrl":'),
    list: (response) => sendJson(response, 200, []),
    stall: () => undefined,
    slow: (response) => {
      held.add(response);
      response.on("close", () => held.delete(response));
    },
    die: (response) => response.destroy(),
  };

  /** @param {Request} request @param {Response} response */
  async function signUp(request, response) {
    const text = await readText(request);
    if (text === null) {
      sendJson(response, 413, { error: "The request is too large." });
      return;
    }
    const body = parseJson(text);
    const authorized = request.headers.authorization === `Bearer ${key}`;
    received = [...received, { body, authorized }].slice(-MAX_RECORDED);
    const local = localPart(body);
    if (!authorized) sendJson(response, 401, { error: "The key is missing or wrong." });
    else if (local === null) sendJson(response, 400, { error: "The request has no e-mail address." });
    else if (Object.hasOwn(responders, local)) responders[local]?.(response);
    else sendJson(response, 200, {});
  }

  /** @param {Request} request @param {Response} response */
  async function respond(request, response) {
    const { pathname } = new URL(request.url ?? "/", "http://backend");
    switch (`${request.method} ${pathname}`) {
      case `POST ${SIGNUP_PATH}`:
        await signUp(request, response);
        break;
      case "GET /_requests":
        sendJson(response, 200, received);
        break;
      case "DELETE /_requests":
        received = [];
        sendJson(response, 200, {});
        break;
      case "POST /_release":
        sendJson(response, 200, { released: release() });
        break;
      default:
        if (request.method === "GET" && /^\/partner(\/|$)/.test(pathname)) {
          send(response, 200, "text/html; charset=utf-8", PARTNER_PAGE);
        } else {
          sendJson(response, 404, { error: "There is nothing here." });
        }
    }
  }

  const server = createServer((request, response) => {
    // Reading fails if the client aborts the request.
    respond(request, response).catch(() => response.destroy());
  });
  await new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", () => resolve(undefined));
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the backend has no TCP port");
  return {
    url: `http://127.0.0.1:${address.port}`,
    port: address.port,
    requests: () => [...received],
    release,
    async close() {
      const closed = new Promise((resolve) => {
        server.close(resolve);
      });
      server.closeAllConnections();
      await closed;
    },
  };
}

async function main() {
  const { BACKEND_PORT = "9100", SIGNUP_BACKEND_KEY: key } = process.env;
  const port = Number(BACKEND_PORT);
  if (!/^[0-9]+$/.test(BACKEND_PORT) || port > 65_535) {
    throw new Error(`BACKEND_PORT is "${BACKEND_PORT}"; expected a port number from 0 to 65535`);
  }
  if (!key) throw new Error("SIGNUP_BACKEND_KEY is not set; expected the bearer key that the gateway sends");
  const backend = await startBackend({ port, key });
  console.log(`sign-up backend on ${backend.url}`);
  for (const signal of /** @type {const} */ (["SIGINT", "SIGTERM"])) process.once(signal, () => void backend.close());
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  main().catch((/** @type {unknown} */ error) => {
    console.error(error instanceof Error ? error.message : String(error));
    process.exitCode = 1;
  });
}
