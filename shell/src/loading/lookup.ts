import type { PageAnswer } from "@colonnade/kit/shell";

const DEADLINE = 8_000;
// No page matches, or the path is none at all.
const NO_PAGE = new Set([400, 404, 414]);

/** The gateway no longer keeps the deployment this tab was opened with. */
export class DeploymentGone extends Error {}

/**
 * Asks the gateway which section and page a path belongs to, in the deployment of this tab. Null: no page.
 *
 * @throws DeploymentGone when the tab has outlived its deployment; another Error when there is no usable answer.
 */
export async function lookUpPage(deployment: number, path: string): Promise<PageAnswer | null> {
  const url = `/_page/${String(deployment)}?path=${encodeURIComponent(path)}`;
  const response = await fetch(url, { headers: { accept: "application/json" }, signal: AbortSignal.timeout(DEADLINE) });
  if (response.ok) return (await response.json()) as PageAnswer;
  if (response.status === 410) throw new DeploymentGone();
  if (NO_PAGE.has(response.status)) return null;
  throw new Error(`${url} answered ${String(response.status)}`);
}
