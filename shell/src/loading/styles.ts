import type { Asset } from "@colonnade/kit/shell";
import { useInsertionEffect } from "react";

import { head } from "../documentMembers";
import { fileTimeout, withTimeout } from "./timeout";

type StyleElement = HTMLLinkElement | HTMLStyleElement;

/**
 * The URL of a stylesheet, which is not valid in some that browser extensions add. For a stylesheet
 * that the gateway inlines in the head of the first view, its file name.
 */
function idOf(element: StyleElement): string | undefined {
  // A hot update adds a query to the URL.
  return "href" in element ? element.href.split("?")[0] : element.dataset.href;
}

/** The slot that a stylesheet has been inserted for. Empty for those of pages and of the frame. */
function slotOf({ dataset }: StyleElement): string {
  return dataset.slot ?? "";
}

/** The stylesheets of the document, in the order of the cascade. */
function elements(): StyleElement[] {
  return [...head.querySelectorAll<StyleElement>("link[rel=stylesheet],style[data-href]")];
}

function isOf(asset: Asset, element: StyleElement): boolean {
  const id = idOf(element);
  return id === location.origin + asset.href || id === asset.name;
}

// A stylesheet that failed to load has no sheet, or in Chromium one whose rules throw when read.
function isApplied({ sheet }: StyleElement): boolean {
  try {
    return sheet !== null && sheet.cssRules.length > 0;
  } catch {
    return false;
  }
}

/** The stylesheets that this module has inserted. */
const loading = new WeakMap<StyleElement, Promise<void>>();

/** Inserts a stylesheet: those of pages come first, then those of each slot, by its name. */
function insertFor(slot: string, element: StyleElement): void {
  element.dataset.slot = slot;
  head.insertBefore(element, elements().find((other) => slotOf(other) > slot) ?? null);
}

/** Inserts a stylesheet that is not in force: by `media` until it has loaded, then `disabled`. */
function insertLink(asset: Asset, slot: string, bytes: number | undefined): HTMLLinkElement {
  const link = document.createElement("link");
  link.rel = "stylesheet";
  link.href = asset.href;
  link.integrity = asset.integrity;
  link.crossOrigin = "anonymous";
  link.media = "not all";
  // The browser would defer a stylesheet that is not in force.
  link.fetchPriority = "high";
  // Webpack finds the stylesheets of a chunk by this attribute and does not load them again.
  link.dataset.href = asset.name;
  const loaded = new Promise<void>((resolve, reject) => {
    link.addEventListener("load", () => {
      const { sheet } = link;
      if (sheet) {
        sheet.disabled = true;
        // The attribute stays: if it changes, a browser may load the stylesheet again.
        sheet.media.mediaText = "";
      }
      resolve();
    });
    link.addEventListener("error", () => {
      reject(new Error(`the stylesheet ${asset.href} could not be loaded`));
    });
  });
  insertFor(slot, link);
  const subject = `the stylesheet ${asset.href}`;
  const inTime = withTimeout(loaded, fileTimeout(bytes), subject).catch((error: unknown) => {
    link.remove();
    throw error;
  });
  loading.set(link, inTime);
  return link;
}

/** Inserts a stylesheet as the last one of a slot or of pages. It is not in force. */
function insert(asset: Asset, slot: string, bytes: number | undefined): StyleElement {
  const inlined = elements().find((element) => idOf(element) === asset.name);
  if (!inlined) return insertLink(asset, slot, bytes);
  const copy = inlined.cloneNode(true) as StyleElement;
  insertFor(slot, copy);
  if (copy.sheet) copy.sheet.disabled = true;
  return copy;
}

/**
 * Returns the elements of the stylesheets of a slot or, if `slot` is empty, of a page, each after
 * the previous one in the document. Calls `insertMissing` for those that it lacks. Two pages can
 * need the same stylesheets in different orders, and a link that moves loads again: such a
 * stylesheet has several elements.
 */
function inOrder(
  assets: readonly Asset[],
  slot: string,
  insertMissing?: (asset: Asset) => StyleElement,
): StyleElement[] {
  const present = elements().filter((element) => slotOf(element) === slot);
  let next = 0;
  return assets.flatMap((asset) => {
    const index = present.findIndex((element, position) => position >= next && isOf(asset, element));
    if (index < 0) {
      if (!insertMissing) return [];
      next = present.length;
      return insertMissing(asset);
    }
    next = index + 1;
    return present[index] ?? [];
  });
}

function stylesOf(assets: readonly Asset[]): Asset[] {
  return assets.filter(({ type }) => type === "style");
}

/**
 * Loads the stylesheets among the assets of a page, or of the slot with this name. Resolves once
 * they are ready to be in force, in this order, with {@link useStyles}. `bytes` is as in
 * `fileTimeout`.
 */
export async function ensureStyles(assets: readonly Asset[], bytes?: number, slot = ""): Promise<void> {
  const styles = stylesOf(assets);
  for (const element of elements()) {
    // A link of the document itself: it has loaded or failed by the time the shell runs.
    const isOwn = "href" in element && element.dataset.href !== undefined && !loading.has(element);
    if (isOwn && !isApplied(element) && styles.some((asset) => isOf(asset, element))) element.remove();
  }
  const present = inOrder(styles, slot, (asset) => insert(asset, slot, bytes));
  await Promise.all(present.flatMap((element) => loading.get(element) ?? []));
}

/** The stylesheets of each view and slot that is shown, in order, and the name of the slot. */
const shown = new Map<readonly Asset[], string>();
/**
 * The IDs of stylesheets of views and slots that have been shown. Others, such as the frame's, are
 * always in force.
 */
const known = new Set<string | undefined>();

/**
 * The elements that are to be in force: those of the page, then of each slot by name. A stylesheet
 * that several of them need is in force at its first place only, where it cannot override the
 * page's stylesheets that override it.
 */
function current(): Set<StyleElement> {
  const inForce = new Set<StyleElement>();
  const bySlot = [...shown].sort(([, a], [, b]) => Number(a > b) - Number(a < b));
  for (const [assets, slot] of bySlot) {
    const isMissing = (asset: Asset): boolean => ![...inForce].some((element) => isOf(asset, element));
    for (const element of inOrder(assets.filter(isMissing), slot)) inForce.add(element);
  }
  return inForce;
}

function apply(): void {
  const inForce = current();
  for (const element of inForce) known.add(idOf(element));
  for (const element of elements())
    if (element.sheet && known.has(idOf(element))) element.sheet.disabled = !inForce.has(element);
}

/** For {@link useStyles}. */
export const NO_STYLES: readonly Asset[] = [];

/**
 * While the component is mounted, the stylesheets among the assets of a page, or of the slot with
 * this name, are in force, in this order and after those of the page. Those of other views are not,
 * so the cascade does not depend on what the visitor has seen before. `ensureStyles` must have
 * loaded them.
 */
export function useStyles(assets: readonly Asset[], slot = ""): void {
  // Before layout effects, which may measure the view.
  useInsertionEffect(() => {
    const styles = stylesOf(assets);
    shown.set(styles, slot);
    apply();
    return () => {
      shown.delete(styles);
      apply();
    };
  }, [assets, slot]);
}
