// HTTP helpers of the endpoints: bodies with a limit, JSON with validators, and errors as `{"error": …}`.
import { createHash } from "node:crypto";

/** @typedef {import("node:http").IncomingMessage} Request */
/** @typedef {import("node:http").ServerResponse} Response */

const MAX_BODY_BYTES = 4096;

/** An error with a message for the visitor. */
export class HttpError extends Error {
  /**
   * @param {number} status
   * @param {string} message
   * @param {Record<string, string>} [headers]
   */
  constructor(status, message, headers = {}) {
    super(message);
    this.status = status;
    this.headers = headers;
  }
}

/**
 * Sends JSON. A response that may be cached has an `ETag`, so that a cache can revalidate it with a 304 without a body.
 *
 * @param {Request} request
 * @param {Response} response
 * @param {{ status?: number, body: unknown, cacheControl?: string, headers?: Record<string, string> }} content
 */
export function sendJson(request, response, { status = 200, body, cacheControl = "no-store", headers = {} }) {
  const bytes = Buffer.from(JSON.stringify(body));
  response.setHeader("Cache-Control", cacheControl);
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  if (status === 200 && cacheControl !== "no-store") {
    const etag = `"${createHash("sha256").update(bytes).digest("base64url").slice(0, 22)}"`;
    response.setHeader("ETag", etag);
    if (hasValidator(request, etag)) {
      response.writeHead(304).end();
      return;
    }
  }
  response.writeHead(status, { "Content-Type": "application/json; charset=utf-8", "Content-Length": bytes.length });
  response.end(bytes);
}

/** Whether `If-None-Match` names the validator; the comparison is weak (RFC 9110, 13.1.2). @param {Request} request @param {string} etag */
function hasValidator({ headers }, etag) {
  const known = headers["if-none-match"];
  return known === "*" || known?.split(",").some((tag) => tag.trim().replace(/^W\//, "") === etag) === true;
}

/** Redirects to a page of the site. @param {Response} response @param {string} path */
export function seeOther(response, path) {
  response.writeHead(303, { Location: path, "Cache-Control": "no-store", "Content-Length": 0 }).end();
}

/** Whether the browser itself posted a form, without JavaScript, and shows the response. @param {Request} request */
export function wantsPage({ headers }) {
  return /\btext\/html\b/.test(headers.accept ?? "");
}

/**
 * Reads the fields of a form or of a JSON object.
 *
 * @param {Request} request
 * @returns {Promise<Record<string, unknown>>}
 * @throws HttpError
 */
export async function readFields(request) {
  const type = request.headers["content-type"]?.split(";")[0]?.trim().toLowerCase();
  if (type !== "application/x-www-form-urlencoded" && type !== "application/json")
    throw new HttpError(415, "Send a form or JSON.");
  const text = await readText(request);
  if (type === "application/x-www-form-urlencoded") return Object.fromEntries(new URLSearchParams(text));
  try {
    const value = /** @type {unknown} */ (JSON.parse(text));
    if (typeof value === "object" && value !== null) return { ...value };
  } catch {
    // Not JSON: the same error as for JSON of another type.
  }
  throw new HttpError(400, "The body is not a JSON object.");
}

/** @param {Request} request */
async function readText(request) {
  /** @type {Buffer[]} */
  const chunks = [];
  let size = 0;
  for await (const chunk of request) {
    chunks.push(chunk);
    size += chunk.length;
    // The rest of the body stays unread, so the connection cannot be used again.
    if (size > MAX_BODY_BYTES) throw new HttpError(413, "The body is too large.", { Connection: "close" });
  }
  return Buffer.concat(chunks).toString();
}
