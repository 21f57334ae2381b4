// What a deployment changed.
import type { Change, Deployment } from "../openapi.js";

const CREATING: readonly Change["action"][] = ["deploy", "rollout", "percent", "promote", "rollback"];

/**
 * What a deployment changed when it was created. Undefined without its entry in the history.
 *
 * @param changes entries of the history, newest first
 */
export function changedBy({ number, preview }: Deployment, changes: readonly Change[]): Change["sections"] | undefined {
  const creates = ({ action, live, candidate, before }: Change): boolean =>
    (CREATING.includes(action) || (preview === true && action === "preview")) &&
    // A promotion creates another deployment than its candidate if the live one has changed since the start.
    (candidate === number || (live === number && before !== number));
  return changes.findLast(creates)?.sections;
}
