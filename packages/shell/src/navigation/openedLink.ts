// The link or field from which the visitor left a page, in the page's history entry. Back returns the focus to it.

import { readHistoryState, updateHistoryState } from "./historyState.js";

/** How to find the element again, also in a new document: by its id, or by its position among the links to a path. */
type Opener = { readonly id: string } | { readonly href: string; readonly index: number };

// Without those that come and go with the pointer or the focus, such as a pin on a map: Tab does not reach them.
function linksTo(href: string): HTMLAnchorElement[] {
  return [...document.querySelectorAll<HTMLAnchorElement>(`a[href="${CSS.escape(href)}"]:not([tabindex])`)];
}

function openerOf(anchor: HTMLAnchorElement): Opener | undefined {
  // An option of a list, where the focus is in the field.
  if (anchor.tabIndex < 0) {
    const id = document.activeElement?.id;
    return id ? { id } : undefined;
  }
  const href = anchor.getAttribute("href") ?? "";
  return { href, index: linksTo(href).indexOf(anchor) };
}

/** Saves in the current history entry the link that the visitor follows, and the scroll position. Call before the navigation. */
export function saveOpenedLink(anchor: HTMLAnchorElement): void {
  const opener = openerOf(anchor);
  updateHistoryState({ scrollTop: scrollY, ...(opener && { opener }) });
}

function find(
  opener: Partial<{ readonly id: unknown; readonly href: unknown; readonly index: unknown }>,
): HTMLElement | null {
  const { id, href, index } = opener;
  if (typeof id === "string") return document.getElementById(id);
  if (typeof href === "string") return linksTo(href)[Number(index)] ?? null;
  return null;
}

/** Focuses the link that was followed from the current history entry, without scrolling. False if it is not there. */
export function focusOpenedLink(): boolean {
  const element = find(Object(readHistoryState().opener) as object);
  element?.focus({ preventScroll: true });
  // A hidden element, such as a link in the closed menu, takes no focus.
  return element !== null && document.activeElement === element;
}
