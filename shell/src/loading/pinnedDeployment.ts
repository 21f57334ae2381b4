import type { JoinReason } from "@colonnade/kit";
import type { Boot } from "@colonnade/kit/shell";

import { createErrorReporter, type ReportError } from "../errorReports";
import { readHistoryState, removeFromHistoryState, updateHistoryState } from "../navigation/historyState";
import { fetchDeploymentStatus, type DeploymentStatus } from "./pageEndpoint";
import { hasTypedText, reloadDocument } from "./reload";

/** Options of a reload. */
interface ReloadOptions {
  /** The visitor is leaving the current page, so text typed there may be lost. */
  readonly leaving?: boolean;
  /** Opens the join dialog after the reload, with this reason. */
  readonly join?: JoinReason;
}

/** The deployment that this tab is pinned to: the one that served its document. */
export interface PinnedDeployment {
  /** Whether the gateway still keeps the deployment. */
  status(path?: string): Promise<DeploymentStatus>;
  /**
   * Reloads the document because the deployment is gone. Undefined if a reload would lose typed text, or if this history
   * entry was already reloaded for this deployment: that prevents reload loops, whatever the gateway or a cache returns.
   */
  reload(options?: ReloadOptions): Promise<never> | undefined;
  /** Reports an error to the gateway. */
  readonly report: ReportError;
}

/** The deployments for which this history entry was already reloaded. */
function readReloadedDeployments(): readonly unknown[] {
  const { reloadedDeployments } = readHistoryState();
  return Array.isArray(reloadedDeployments) ? reloadedDeployments : [];
}

/** Creates the pinned deployment of a document. */
export function createPinnedDeployment(boot: Boot): PinnedDeployment {
  const { deployment } = boot;
  let reloading: Promise<never> | undefined;
  return {
    status(path = location.pathname) {
      return fetchDeploymentStatus(deployment, path);
    },
    reload({ leaving = false, join } = {}) {
      if (reloading) return reloading;
      const before = readReloadedDeployments();
      if (before.includes(deployment) || (!leaving && hasTypedText())) return undefined;
      // Without this record, nothing would end a reload loop.
      const reloadedDeployments = [...before, deployment];
      if (!updateHistoryState({ reloadedDeployments, ...(join && { join }) })) return undefined;
      reloading = reloadDocument();
      return reloading;
    },
    report: createErrorReporter(boot),
  };
}

/** Returns the join reason of the reload that led to this document, once. Null if there is none. */
export function takeJoinReason(): JoinReason | null {
  const { join } = readHistoryState();
  return (join === "general" || join === "sample") && removeFromHistoryState("join") ? join : null;
}
