import { Readable } from "node:stream";

import { QUERY_TIMEOUT, readResult } from "@colonnade/kit/contract";
import type { QueryResult } from "@colonnade/kit";
import { bytesOf, forward } from "./forward.js";

const UNAVAILABLE: QueryResult = { ok: false, status: 503 };

/** Where requests below `/api/` go. */
export interface ApiRoutes {
  /** Origin of the site. Without one, only the APIs respond. */
  readonly site?: string;
  /** URLs by the name after `/api/`. */
  readonly apis: ReadonlyMap<string, string>;
}

/** Returns the URL that serves a path, which may have a query: that of an API, or undefined for the site itself. */
export function apiUrl({ apis }: ApiRoutes, path: string): string | undefined {
  const [, name = "", rest = ""] = /^\/api\/([^/?]+)([/?].*)?$/.exec(path) ?? [];
  const base = apis.get(name);
  return base && base.replace(/\/$/, "") + rest;
}

/** Returns the URL that a query is sent to. Undefined if no API serves its path, and there is no site. */
export function queryUrl(routes: ApiRoutes, path: string): string | undefined {
  return apiUrl(routes, path) ?? (routes.site && routes.site + path);
}

/** Runs the queries of a page, as the gateway does. A query that fails is a result too. */
export async function runQueries(
  routes: ApiRoutes,
  queries: Readonly<Record<string, string>>,
): Promise<Record<string, QueryResult>> {
  const entries = Object.entries(queries).map(async ([name, path]) => {
    const url = queryUrl(routes, path);
    return [name, url === undefined ? UNAVAILABLE : await runQuery(url)] as const;
  });
  return Object.fromEntries(await Promise.all(entries));
}

async function runQuery(url: string): Promise<QueryResult> {
  const headers = { host: new URL(url).host, accept: "application/json", "accept-encoding": "identity" };
  const signal = AbortSignal.timeout(QUERY_TIMEOUT);
  try {
    const response = await forward(url, "GET", headers, Readable.from([]), signal);
    const proxyStatus = response.headers["proxy-status"];
    return readResult(response.statusCode ?? 502, proxyStatus ? String(proxyStatus) : null, await bytesOf(response));
  } catch {
    // Unreachable.
    return { ok: false, status: signal.aborted ? 504 : 502 };
  }
}
