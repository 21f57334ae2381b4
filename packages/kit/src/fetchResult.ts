import type { QueryResult } from "./queries.js";

/** How long a browser waits for the results of queries, in milliseconds. */
export const QUERY_TIMEOUT = 8_000;

/**
 * The result of a query, from its response, as the gateway has it: only 200 with JSON in UTF-8 is a success. `proxyStatus` is the
 * header `Proxy-Status` (RFC 9209).
 */
export function readResult(status: number, proxyStatus: string | null, body: AllowSharedBufferSource): QueryResult {
  if (status >= 400) {
    // No upstream serves the path. A page takes 404 for something that does not exist.
    const isUnserved = proxyStatus?.includes("error=destination_not_found");
    return { ok: false, status: isUnserved ? 503 : status };
  }
  try {
    // With a byte order mark, it is not JSON (RFC 8259, section 8.1).
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(body);
    if (status === 200) return { ok: true, value: JSON.parse(text) };
  } catch {
    // Not JSON: the same result as for another status.
  }
  return { ok: false, status: 502 };
}

/**
 * Requests the JSON at a path. Aborts `request` after {@link QUERY_TIMEOUT}. Never rejects: an aborted request counts as one that
 * takes too long.
 */
export async function fetchResult(
  path: string,
  credentials: RequestCredentials,
  request: AbortController,
): Promise<QueryResult> {
  const { signal } = request;
  const timer = setTimeout(() => {
    request.abort();
  }, QUERY_TIMEOUT);
  let status = 0;
  try {
    const headers = { accept: "application/json" };
    // A response to a request with cookies may be personal. The next person at this browser must not get it from the cache.
    const cache = credentials === "omit" ? "default" : "no-store";
    const response = await fetch(path, { cache, credentials, headers, redirect: "manual", signal });
    // If the rest does not arrive.
    status = 502;
    return readResult(response.status, response.headers.get("proxy-status"), await response.arrayBuffer());
  } catch {
    return { ok: false, status: signal.aborted ? 504 : status };
  } finally {
    clearTimeout(timer);
  }
}
