import type { QueryResult } from "./queries.js";

/** How long a browser waits for the results of queries, in milliseconds. */
export const QUERY_TIMEOUT = 8_000;

/** Requests the JSON at a path. Never rejects. An aborted request counts as one that takes too long. */
export async function fetchResult(
  path: string,
  credentials: RequestCredentials,
  signal: AbortSignal,
): Promise<QueryResult> {
  try {
    // As the gateway does, which follows no redirects.
    const response = await fetch(path, {
      credentials,
      redirect: "error",
      headers: { accept: "application/json" },
      signal,
    });
    return response.ok ? parse(await response.arrayBuffer()) : { ok: false, status: response.status };
  } catch {
    return { ok: false, status: signal.aborted ? 504 : 0 };
  }
}

function parse(bytes: ArrayBuffer): QueryResult {
  try {
    return { ok: true, value: JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes)) };
  } catch {
    return { ok: false, status: 502 };
  }
}
