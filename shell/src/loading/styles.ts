import type { Asset } from "@colonnade/kit/shell";

import { withDeadline } from "./deadline";

const DEADLINE = 6_000;

function linkOf(asset: Asset): HTMLLinkElement | undefined {
  return [...document.querySelectorAll<HTMLLinkElement>("link[rel=stylesheet][data-href]")].find(
    (link) => link.getAttribute("href") === asset.href,
  );
}

// One that could not be loaded has no sheet, or in Chromium one whose rules nobody may read.
function applies({ sheet }: HTMLLinkElement): boolean {
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
  // By this attribute webpack knows that the stylesheet of a chunk is there, and asks for none.
  link.dataset.href = asset.name;
  const loaded = new Promise<void>((resolve, reject) => {
    link.addEventListener("load", () => {
      resolve();
    });
    link.addEventListener("error", () => {
      reject(new Error(`the stylesheet ${asset.href} could not be loaded`));
    });
  });
  document.head.append(link);
  return withDeadline(loaded, DEADLINE, `the stylesheet ${asset.href}`).catch((error: unknown) => {
    link.remove();
    throw error;
  });
}

const pending = new Map<string, Promise<void>>();

// The gateway writes the stylesheets of the first view into the document.
function isInDocument(asset: Asset): boolean {
  return document.querySelector(`style[data-href="${CSS.escape(asset.name)}"]`) !== null;
}

function ensure(asset: Asset): Promise<void> {
  if (isInDocument(asset)) return Promise.resolve();
  const present = pending.get(asset.href);
  if (present) return present;
  const link = linkOf(asset);
  // A stylesheet of the document itself: by the time the shell starts, it is loaded or has failed.
  if (link && applies(link)) return Promise.resolve();
  link?.remove();
  const loading = insert(asset);
  pending.set(asset.href, loading);
  loading.catch(() => {
    pending.delete(asset.href);
  });
  return loading;
}

/** Makes sure that the stylesheets among some assets apply, before anything that needs them is shown. */
export async function ensureStyles(assets: readonly Asset[]): Promise<void> {
  await Promise.all(assets.filter((asset) => asset.type === "style").map(ensure));
}
