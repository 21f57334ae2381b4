import type { DialogParams } from "@colonnade/kit";
import type { Boot } from "@colonnade/kit/shell";

import { createErrorReporter, type ReportError } from "../errorReports.js";
import { readHistoryState, removeFromHistoryState, updateHistoryState } from "../navigation/historyState.js";
import { fetchDeploymentStatus, type DeploymentStatus } from "./pageEndpoint.js";
import { hasTypedText, reloadDocument } from "./reload.js";

/** Options of a reload. */
interface ReloadOptions {
  /** The visitor is leaving the current page, so text typed there may be lost. */
  readonly leaving?: boolean;
  /** Opens this dialog after the reload. */
  readonly dialog?: OpenedDialog;
}

/** A dialog to open. */
export interface OpenedDialog {
  /** The section and the module that it exposes, such as `news/newsletter`. */
  readonly dialog: string;
  readonly params: DialogParams;
  /** Path of the page that has the same content. */
  readonly page?: string;
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
    reload({ leaving = false, dialog } = {}) {
      if (reloading) return reloading;
      const before = readReloadedDeployments();
      if (before.includes(deployment) || (!leaving && hasTypedText())) return undefined;
      // Without this record, nothing would end a reload loop.
      const reloadedDeployments = [...before, deployment];
      if (!updateHistoryState({ reloadedDeployments, ...(dialog && { dialog }) })) return undefined;
      reloading = reloadDocument();
      return reloading;
    },
    report: createErrorReporter(boot),
  };
}

/** Returns the dialog of the reload that led to this document, once. Null if there is none. */
export function takeDialog(): OpenedDialog | null {
  const { dialog } = readHistoryState();
  return isDialog(dialog) && removeFromHistoryState("dialog") ? dialog : null;
}

/** Other code may have put something else there. */
function isDialog(value: unknown): value is OpenedDialog {
  if (typeof value !== "object" || value === null) return false;
  const { dialog, params, page = "" } = value as Partial<Record<keyof OpenedDialog, unknown>>;
  return [dialog, page].every((text) => typeof text === "string") && typeof params === "object" && params !== null;
}
