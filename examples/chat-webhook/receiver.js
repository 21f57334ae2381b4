// Verifies messages of the gateway (Standard Webhooks), and posts what they say to a chat.
import { createHmac, timingSafeEqual } from "node:crypto";
import { createServer } from "node:http";

import { textOf } from "./text.js";

const MAX_BYTES = 1024 * 1024;
const MIN_KEY_BYTES = 24;
const MAX_AGE_SECONDS = 300;
const CHAT_TIMEOUT_MS = 5000;
// A gateway repeats a message if it cannot store that it was delivered.
const MAX_KNOWN = 1000;

/**
 * Whether a message has a valid signature and is new enough.
 *
 * @param {Buffer} key
 * @param {import("node:http").IncomingHttpHeaders} headers
 * @param {Buffer} body
 */
export function isAuthentic(key, headers, body) {
  const { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": signatures } = headers;
  if (typeof id !== "string" || typeof timestamp !== "string" || typeof signatures !== "string") return false;
  const age = Math.abs(Date.now() / 1000 - Number(timestamp));
  if (!(age <= MAX_AGE_SECONDS)) return false;
  const expected = createHmac("sha256", key).update(`${id}.${timestamp}.`).update(body).digest();
  return signatures.split(" ").some((signature) => {
    const [version, digits = ""] = signature.split(",", 2);
    const given = Buffer.from(digits, "base64");
    return version === "v1" && given.length === expected.length && timingSafeEqual(given, expected);
  });
}

/** @param {import("node:http").IncomingMessage} request */
async function read(request) {
  const chunks = [];
  let length = 0;
  for await (const chunk of request) {
    length += chunk.length;
    if (length > MAX_BYTES) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/**
 * The key of a webhook's secret. Undefined if it is so short that it could be guessed.
 *
 * @param {string} secret
 */
export function parseSecret(secret) {
  const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64");
  return key.length < MIN_KEY_BYTES ? undefined : key;
}

/**
 * A server for the webhook with this key.
 *
 * @param {{ key: Buffer; chatUrl: string; consoleUrl?: string }} options `consoleUrl`: where links lead to; without it there are none
 */
export function createReceiver({ key, chatUrl, consoleUrl }) {
  /** @type {Set<unknown>} */
  const known = new Set();

  /** @param {import("node:http").IncomingMessage} request */
  async function receive(request) {
    if (request.method !== "POST") return 405;
    const body = await read(request);
    if (body === undefined) return 413;
    if (!isAuthentic(key, request.headers, body)) return 401;
    const event = JSON.parse(body.toString());
    if (known.has(event.id)) return 204;
    const response = await fetch(chatUrl, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ text: textOf(event, consoleUrl) }),
      redirect: "error",
      signal: AbortSignal.timeout(CHAT_TIMEOUT_MS),
    });
    if (!response.ok) return 502;
    known.add(event.id);
    if (known.size > MAX_KNOWN) known.delete(known.values().next().value);
    return 204;
  }

  return createServer((request, response) => {
    receive(request)
      .catch(() => 502)
      .then((status) => response.writeHead(status, { connection: "close" }).end());
  });
}
