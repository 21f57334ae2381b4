import {
  request as requestPlain,
  type ClientRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type RequestOptions,
} from "node:http";
import { request as requestSecure } from "node:https";
import type { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { brotliDecompressSync, gunzipSync, inflateSync } from "node:zlib";

import { GatewayError, reasonOf } from "../build/usageError.js";

// Headers of one connection (RFC 9110, section 7.6.1).
const HOP_BY_HOP = new Set([
  "connection",
  "keep-alive",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);
const DECODERS: Readonly<Record<string, (bytes: Buffer) => Buffer>> = {
  br: brotliDecompressSync,
  gzip: gunzipSync,
  deflate: inflateSync,
};

function endToEndHeaders(headers: IncomingHttpHeaders): OutgoingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !HOP_BY_HOP.has(name)));
}

/** Returns the headers of a request to `local`, as the browser would send them to `site`. Both are origins. */
export function requestHeaders(headers: IncomingHttpHeaders, local: string, site: string): OutgoingHttpHeaders {
  const result = endToEndHeaders(headers);
  result.host = new URL(site).host;
  if (headers.origin === local) result.origin = site;
  if (headers.referer?.startsWith(`${local}/`)) result.referer = site + headers.referer.slice(local.length);
  return result;
}

/** Returns the headers of a response of `site`, for the browser that requested it from `local`. */
export function responseHeaders(headers: IncomingHttpHeaders, local: string, site: string): OutgoingHttpHeaders {
  const result = endToEndHeaders(headers);
  // HSTS would also apply to other servers on this host.
  delete result["strict-transport-security"];
  // Violations of a development build are not those of the site.
  delete result["reporting-endpoints"];
  for (const name of ["content-security-policy", "content-security-policy-report-only"]) {
    const policy = headers[name];
    if (typeof policy === "string") result[name] = policy.replace(/; report-(uri|to) [^;]*/g, "");
  }
  const { location, "set-cookie": cookies } = headers;
  if (location?.startsWith(`${site}/`)) result.location = local + location.slice(site.length);
  if (cookies) result["set-cookie"] = cookies.map(localCookie);
  return result;
}

// Browsers require `Secure` for cookies with these prefixes.
const NEEDS_SECURE = /^__(Host|Secure)-/;

function localCookie(cookie: string): string {
  const [pair = "", ...attributes] = cookie.split(";");
  const kept = attributes.filter((attribute) => {
    const name = attribute.split("=")[0]?.trim().toLowerCase();
    return name !== "domain" && (name !== "secure" || NEEDS_SECURE.test(pair));
  });
  return [pair, ...kept].join(";");
}

/** Begins a request to another server. */
export function sendRequest(url: string, options: RequestOptions): ClientRequest {
  return (url.startsWith("https:") ? requestSecure : requestPlain)(url, options);
}

/**
 * Sends a request to another server and returns its response. `body` is streamed.
 *
 * @throws GatewayError if the server is unreachable.
 */
export function forward(
  url: string,
  method: string,
  headers: OutgoingHttpHeaders,
  body: Readable,
  signal?: AbortSignal,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const call = sendRequest(url, { method, headers, ...(signal && { signal }) });
    call.on("response", resolve);
    call.on("error", (error) => {
      const { origin } = new URL(url);
      reject(new GatewayError(`cannot reach ${origin} (${reasonOf(error)})`, "unavailable"));
    });
    body.pipe(call);
  });
}

/** Reads the body of a response as text. */
export async function textOf(response: IncomingMessage): Promise<string> {
  return (await bytesOf(response)).toString("utf8");
}

/** Reads and decodes the body of a response. */
export async function bytesOf(response: IncomingMessage): Promise<Buffer> {
  const bytes = await buffer(response);
  const decode = DECODERS[response.headers["content-encoding"] ?? ""];
  return decode && bytes.length > 0 ? decode(bytes) : bytes;
}
