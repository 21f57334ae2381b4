import type { Asset } from "@colonnade/kit/shell";
import { useInsertionEffect } from "react";

import { head } from "../documentMembers.js";
import { fileTimeout, withTimeout } from "./timeout.js";

type StyleElement = HTMLLinkElement | HTMLStyleElement;

/**
 * The URL of a stylesheet, which is not valid in some that browser extensions add. For a stylesheet
 * that the gateway inlines in the head of the first view, its file name.
 */
function idOf(element: StyleElement): string | undefined {
  // A hot update adds a query to the URL.
  return "href" in element ? element.href.split("?")[0] : element.dataset.href;
}

/** The part that a stylesheet has been inserted for. Empty for those of pages and of the frame. */
function partOf(element: StyleElement): string {
  return element.dataset.part ?? "";
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

/** Creates the link of a stylesheet. Its `media` applies to nothing until it is loaded and disabled. */
function createLink(asset: Asset, bytes: number | undefined): HTMLLinkElement {
  const link = document.createElement("link");
  link.rel = "stylesheet";
  link.href = asset.href;
  link.integrity = asset.integrity;
  link.crossOrigin = "anonymous";
  link.media = "not all";
  // The browser would defer a stylesheet that is not in force.
  link.fetchPriority = "high";
  // Webpack's development runtime finds stylesheets by this attribute and does not load them again.
  link.dataset.href = asset.name;
  const subject = `the stylesheet ${asset.href}`;
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
      reject(new Error(`${subject} could not be loaded`));
    });
  });
  const inTime = withTimeout(loaded, fileTimeout(bytes), subject).catch((error: unknown) => {
    link.remove();
    throw error;
  });
  loading.set(link, inTime);
  return link;
}

/**
 * Inserts a stylesheet that is not in force after the others of the part or, if `part` is empty, of
 * pages. Those of pages come first, then those of each part, by its name.
 */
function insert(asset: Asset, part: string, bytes: number | undefined): StyleElement {
  const present = elements();
  const inlined = present.find((other) => idOf(other) === asset.name);
  const element = inlined ? (inlined.cloneNode(true) as StyleElement) : createLink(asset, bytes);
  element.dataset.part = part;
  head.insertBefore(element, present.find((other) => partOf(other) > part) ?? null);
  if (element.sheet) element.sheet.disabled = true;
  return element;
}

/**
 * Returns the elements of the stylesheets of another part or, if `part` is empty, of a page, each after
 * the previous one in the document. Calls `insertMissing` for those that it lacks. Two pages can
 * need the same stylesheets in different orders, and a link that moves loads again: such a
 * stylesheet has several elements.
 */
function inOrder(
  assets: readonly Asset[],
  part: string,
  insertMissing?: (asset: Asset) => StyleElement,
): StyleElement[] {
  const present = elements().filter((element) => partOf(element) === part);
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
 * Loads the stylesheets among the assets of a page, or of the part with this name. Resolves once
 * they are ready to be in force, in this order, with {@link useStyles}. `bytes` is as in
 * `fileTimeout`.
 */
export async function ensureStyles(assets: readonly Asset[], bytes?: number, part = ""): Promise<void> {
  const styles = stylesOf(assets);
  for (const element of elements()) {
    // A link of the document itself: it has loaded or failed by the time the shell runs.
    const isOwn = "href" in element && element.dataset.href !== undefined && !loading.has(element);
    if (isOwn && !isApplied(element) && styles.some((asset) => isOf(asset, element))) element.remove();
  }
  const present = inOrder(styles, part, (asset) => insert(asset, part, bytes));
  await Promise.all(present.flatMap((element) => loading.get(element) ?? []));
}

/** The stylesheets of each view and part that is shown, in order, and the name of the part. */
const shown = new Map<readonly Asset[], string>();
/**
 * The IDs of stylesheets of views and parts that have been shown. Others, such as the frame's, are
 * always in force.
 */
const known = new Set<string | undefined>();

/**
 * A stylesheet that the page and another part need is in force at the page's place only, where it cannot
 * override the page's stylesheets that override it.
 */
function apply(): void {
  const needed = new Set([...shown].flatMap(([assets, part]) => inOrder(assets, part)));
  for (const element of needed) known.add(idOf(element));
  const present = elements();
  for (const element of present) {
    const id = idOf(element);
    const inForce = present.find((other) => needed.has(other) && idOf(other) === id);
    if (element.sheet && known.has(id)) element.sheet.disabled = element !== inForce;
  }
}

/** For {@link useStyles}. */
export const NO_STYLES: readonly Asset[] = [];

/**
 * While the component is mounted, the stylesheets among the assets of a page, or of the part with
 * this name, are in force, in this order and after those of the page. Those of other views are not,
 * so the cascade does not depend on what the visitor has seen before. `ensureStyles` must have
 * loaded them.
 */
export function useStyles(assets: readonly Asset[], part = ""): void {
  // Before layout effects, which may measure the view.
  useInsertionEffect(() => {
    const styles = stylesOf(assets);
    shown.set(styles, part);
    apply();
    return () => {
      shown.delete(styles);
      apply();
    };
  }, [assets, part]);
}
