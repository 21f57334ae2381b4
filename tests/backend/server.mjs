// A small sign-up backend for development and tests. What it answers depends on the e-mail address alone:
//
//   redirect@   200 {"redirectUrl":"/terms"}
//   away@       200 {"redirectUrl":"https://members.example.com/welcome"}
//   evil@       200 {"redirectUrl":"https://evil.example/"}
//   reject@     409 {"error":"This e-mail address is already registered."}
//   wordless@   500 {}
//   html@       200 with an HTML page
//   rubbish@    200 with broken JSON
//   list@       200 []
//   stall@      takes the request and never answers
//   slow@       200 {}, once POST /_release lets it go
//   die@        drops the connection
//   anything    200 {}
//
// It also is the development partner: GET /partner is a page that says so. For tests, GET /_requests lists
// the last 100 sign-ups, DELETE /_requests forgets them. Bodies stay in memory; nothing of them is printed.
import { createServer } from "node:http";
import { fileURLToPath } from "node:url";

const SIGNUP_PATH = "/functions/v1/signup";
const KEPT = 100;
const BODY_LIMIT = 64 * 1024;

/** @typedef {import("node:http").IncomingMessage} Request */
/** @typedef {import("node:http").ServerResponse} Response */

/**
 * A sign-up that arrived.
 *
 * @typedef {object} Received
 * @property {unknown} body what was sent, or null where it was no JSON
 * @property {boolean} authorized whether it came with the right key
 */

/**
 * A running backend.
 *
 * @typedef {object} Backend
 * @property {string} url its address, without a trailing slash
 * @property {number} port
 * @property {() => Received[]} requests the sign-ups that arrived, oldest first
 * @property {() => number} release lets the held answers go, and says how many there were
 * @property {() => Promise<void>} close drops every connection and ends
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
 * Reads a request's body; null where it is longer than anybody has reason to send.
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

/** The part of a sign-up's e-mail address before the @; null where there is no such address. @param {unknown} body */
function localPart(body) {
  if (typeof body !== "object" || body === null || !("email" in body) || typeof body.email !== "string") return null;
  const at = body.email.indexOf("@");
  return at > 0 ? body.email.slice(0, at) : null;
}

/**
 * Starts a backend on the loopback interface.
 *
 * @param {{ port?: number, key: string }} options `port` 0, the default, takes a free one; `key` is the bearer
 *   key that sign-ups have to bring
 * @returns {Promise<Backend>}
 */
export async function startBackend({ port = 0, key }) {
  /** @type {Received[]} */
  let received = [];
  /** @type {Set<Response>} */
  const held = new Set();

  function release() {
    const answers = [...held];
    held.clear();
    for (const response of answers) sendJson(response, 200, {});
    return answers.length;
  }

  /** @type {Record<string, (response: Response) => void>} */
  const answers = {
    redirect: (response) => sendJson(response, 200, { redirectUrl: "/terms" }),
    away: (response) => sendJson(response, 200, { redirectUrl: "https://members.example.com/welcome" }),
    evil: (response) => sendJson(response, 200, { redirectUrl: "https://evil.example/" }),
    reject: (response) => sendJson(response, 409, { error: "This e-mail address is already registered." }),
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
    received = [...received, { body, authorized }].slice(-KEPT);
    const local = localPart(body);
    if (!authorized) sendJson(response, 401, { error: "The key is missing or wrong." });
    else if (local === null) sendJson(response, 400, { error: "The request has no e-mail address." });
    else if (Object.hasOwn(answers, local)) answers[local]?.(response);
    else sendJson(response, 200, {});
  }

  /** @param {Request} request @param {Response} response */
  async function answer(request, response) {
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
    // A request that breaks off while it is read has nobody left to answer.
    answer(request, response).catch(() => response.destroy());
  });
  await new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", () => resolve(undefined));
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the backend listens on no port");
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
    throw new Error(`BACKEND_PORT is "${BACKEND_PORT}"; expected a port number`);
  }
  if (!key) throw new Error("SIGNUP_BACKEND_KEY is not set; expected the key that the gateway sends");
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
