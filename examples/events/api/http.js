// HTTP helpers of the endpoints: bodies with a limit, JSON, and errors as `{"error": …}`.

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
 * Sends JSON.
 *
 * @param {Response} response
 * @param {{ status?: number, body: unknown, cacheControl?: string, headers?: Record<string, string> }} content
 */
export function sendJson(response, { status = 200, body, cacheControl = "no-store", headers = {} }) {
  const bytes = Buffer.from(JSON.stringify(body));
  response.writeHead(status, {
    "Content-Type": "application/json; charset=utf-8",
    "Content-Length": bytes.length,
    "Cache-Control": cacheControl,
    ...headers,
  });
  response.end(bytes);
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
 * Reads the fields of a form.
 *
 * @param {Request} request
 * @returns {Promise<Partial<Record<string, string>>>}
 * @throws HttpError
 */
export async function readFields(request) {
  if (!/^application\/x-www-form-urlencoded\b/i.test(request.headers["content-type"] ?? ""))
    throw new HttpError(415, "Send a form.");
  /** @type {Buffer[]} */
  const chunks = [];
  let size = 0;
  for await (const chunk of request) {
    chunks.push(chunk);
    size += chunk.length;
    // The rest of the body stays unread, so the connection cannot be used again.
    if (size > MAX_BODY_BYTES) throw new HttpError(413, "The body is too large.", { Connection: "close" });
  }
  return Object.fromEntries(new URLSearchParams(Buffer.concat(chunks).toString()));
}
