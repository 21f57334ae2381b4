import type { QueryResult } from "./queries.js";

/** How long a browser waits for the results of queries, in milliseconds. */
export const QUERY_TIMEOUT = 8_000;

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
    ({ status } = response);
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
