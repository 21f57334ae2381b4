import type { PageAnswer } from "@colonnade/kit/shell";

const DEADLINE = 8_000;
// Somebody is waiting to be told that something has failed.
const STANDING_DEADLINE = 4_000;
// No page matches, or the path is none at all.
const NO_PAGE = new Set([400, 404, 414]);

/** The gateway no longer keeps the deployment this tab was opened with. */
export class DeploymentGone extends Error {
  constructor() {
    super("the gateway no longer keeps the deployment of this tab");
  }
}

/** What has become of a deployment; unknown where the gateway cannot be asked. */
export type Standing = "kept" | "gone" | "unknown";

function addressOf(deployment: number, path: string): string {
  return `/_page/${String(deployment)}?path=${encodeURIComponent(path)}`;
}

/**
 * Asks the gateway which section and page a path belongs to, in the deployment of this tab. Null: no page.
 *
 * @throws DeploymentGone when the tab has outlived its deployment; another Error when there is no usable answer.
 */
export async function lookUpPage(deployment: number, path: string): Promise<PageAnswer | null> {
  const url = addressOf(deployment, path);
  const response = await fetch(url, { headers: { accept: "application/json" }, signal: AbortSignal.timeout(DEADLINE) });
  if (response.ok) return (await response.json()) as PageAnswer;
  if (response.status === 410) throw new DeploymentGone();
  if (NO_PAGE.has(response.status)) return null;
  throw new Error(`${url} answered ${String(response.status)}`);
}

/** Asks the gateway itself, past every cache, what has become of a deployment. Never rejects. */
export async function askStanding(deployment: number, path: string): Promise<Standing> {
  try {
    const { ok, status } = await fetch(addressOf(deployment, path), {
      cache: "no-store",
      signal: AbortSignal.timeout(STANDING_DEADLINE),
    });
    if (status === 410) return "gone";
    return ok || NO_PAGE.has(status) ? "kept" : "unknown";
  } catch {
    return "unknown";
  }
}
