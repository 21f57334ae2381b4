import type { Asset } from "@colonnade/kit/shell";

import { head } from "../documentMembers";
import { withTimeout } from "./timeout";

const TIMEOUT = 6_000;

function findLink(asset: Asset): HTMLLinkElement | undefined {
  return [...head.querySelectorAll<HTMLLinkElement>("link[rel=stylesheet][data-href]")].find(
    (link) => link.getAttribute("href") === asset.href,
  );
}

// A stylesheet that failed to load has no sheet, or in Chromium a sheet whose rules throw when read.
function isApplied({ sheet }: HTMLLinkElement): boolean {
  try {
    return sheet !== null && sheet.cssRules.length > 0;
  } catch {
    return false;
  }
}

function insert(asset: Asset): Promise<void> {
  const link = document.createElement("link");
  link.rel = "stylesheet";
  link.href = asset.href;
  link.integrity = asset.integrity;
  link.crossOrigin = "anonymous";
  // Webpack finds the stylesheets of a chunk by this attribute and does not load them again.
  link.dataset.href = asset.name;
  const loaded = new Promise<void>((resolve, reject) => {
    link.addEventListener("load", () => {
      resolve();
    });
    link.addEventListener("error", () => {
      reject(new Error(`the stylesheet ${asset.href} could not be loaded`));
    });
  });
  head.append(link);
  return withTimeout(loaded, TIMEOUT, `the stylesheet ${asset.href}`).catch((error: unknown) => {
    link.remove();
    throw error;
  });
}

const pending = new Map<string, Promise<void>>();

// The gateway inlines the stylesheets of the first view in the head.
function isInlined(asset: Asset): boolean {
  return head.querySelector(`style[data-href="${CSS.escape(asset.name)}"]`) !== null;
}

function ensure(asset: Asset): Promise<void> {
  if (isInlined(asset)) return Promise.resolve();
  const present = pending.get(asset.href);
  if (present) return present;
  const link = findLink(asset);
  // A link of the document itself: it has loaded or failed by the time the shell runs.
  if (link && isApplied(link)) return Promise.resolve();
  link?.remove();
  const loading = insert(asset);
  pending.set(asset.href, loading);
  loading.catch(() => {
    pending.delete(asset.href);
  });
  return loading;
}

/** Loads the stylesheets among the assets. Resolves once they all apply. */
export async function ensureStyles(assets: readonly Asset[]): Promise<void> {
  await Promise.all(assets.filter((asset) => asset.type === "style").map(ensure));
}
