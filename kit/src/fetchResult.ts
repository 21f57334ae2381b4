import type { QueryResult } from "./queries.js";

/** How long a browser waits for the results of queries, in milliseconds. */
export const QUERY_TIMEOUT = 8_000;

/**
 * The status of a query whose response is not successful. If no upstream serves the path, the gateway says so in `Proxy-Status`
 * (RFC 9209), and the status is 503: a page takes 404 for something that does not exist.
 */
export function failureStatus(status: number, proxyStatus = ""): number {
  return proxyStatus.includes("error=destination_not_found") ? 503 : status;
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
    const response = await fetch(path, { credentials, headers: { accept: "application/json" }, signal });
    const body = await response.arrayBuffer();
    status = failureStatus(response.status, response.headers.get("proxy-status") ?? "");
    if (response.ok) {
      status = 502;
      return { ok: true, value: JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body)) };
    }
  } catch {
    if (signal.aborted) status = 504;
  } finally {
    clearTimeout(timer);
  }
  return { ok: false, status };
}
