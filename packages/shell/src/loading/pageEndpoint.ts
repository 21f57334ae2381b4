// Client of the gateway's `GET /_page/<set>?path=…` endpoint.
import type { ResolvedPage } from "@colonnade/kit/shell";

import { pathnameOf } from "./reload.js";

const TIMEOUT = 8_000;
// Shorter: the visitor waits for the error message meanwhile.
const STATUS_TIMEOUT = 4_000;
// No page matches the path, or the path is invalid.
const NOT_FOUND = new Set([400, 404, 414]);

/** The gateway no longer keeps the deployment that this tab is pinned to. */
export class DeploymentGoneError extends Error {
  constructor() {
    super("the deployment of this tab is gone");
  }
}

/** Whether the gateway still keeps a deployment. Unknown if the gateway cannot be reached. */
export type DeploymentStatus = "retained" | "gone" | "unknown";

function endpointUrl(deployment: string, path: string): string {
  return `/_page/${deployment}?path=${encodeURIComponent(pathnameOf(path))}`;
}

/**
 * Resolves a path to a section and page, in the given deployment. Null if no page matches.
 *
 * @throws DeploymentGoneError if the gateway no longer keeps the deployment; another Error for any other failure.
 */
export async function resolvePage(deployment: string, path: string): Promise<ResolvedPage | null> {
  const url = endpointUrl(deployment, path);
  const response = await fetch(url, { headers: { accept: "application/json" }, signal: AbortSignal.timeout(TIMEOUT) });
  if (response.ok) return (await response.json()) as ResolvedPage;
  if (response.status === 410) throw new DeploymentGoneError();
  if (NOT_FOUND.has(response.status)) return null;
  throw new Error(`${url} responded with status ${String(response.status)}; expected 200, 404 or 410`);
}

/** Fetches the status of a deployment, bypassing the browser's cache. Never rejects. */
export async function fetchDeploymentStatus(deployment: string, path: string): Promise<DeploymentStatus> {
  try {
    const { ok, status } = await fetch(endpointUrl(deployment, path), {
      cache: "no-store",
      signal: AbortSignal.timeout(STATUS_TIMEOUT),
    });
    if (status === 410) return "gone";
    return ok || NOT_FOUND.has(status) ? "retained" : "unknown";
  } catch {
    return "unknown";
  }
}
