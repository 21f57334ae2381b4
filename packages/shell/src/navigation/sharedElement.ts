// The element that two pages share in a view transition, such as a city: its name in a list, and the heading of its page.

const VIEW_TRANSITION_NAME = "shared-element";

function depth(path: string): number {
  return path.split("/").filter(Boolean).length;
}

function isInView(element: Element): boolean {
  const { top, bottom } = element.getBoundingClientRect();
  return bottom > 0 && top < innerHeight;
}

/** The name, in a list of the current page, of the page at a path. */
function findListItem(path: string): HTMLElement | undefined {
  const links = document.querySelectorAll<HTMLAnchorElement>(`main li a[href="${CSS.escape(path)}"]`);
  const link = [...links].find((found) => !found.closest("nav") && isInView(found));
  return link?.querySelector("strong") ?? link;
}

function find(currentPath: string, otherPath: string): HTMLElement | undefined {
  if (depth(currentPath) === depth(otherPath)) return undefined;
  if (depth(currentPath) < depth(otherPath)) return findListItem(otherPath);
  return document.querySelector<HTMLElement>("main h1") ?? undefined;
}

/**
 * Names the element that the current page shares with another one, for a view transition: a list item on the page higher
 * up, the heading on the deeper one.
 *
 * @returns A function that removes the name.
 */
export function markSharedElement(currentPath: string, otherPath: string): () => void {
  const element = find(currentPath, otherPath);
  element?.style.setProperty("view-transition-name", VIEW_TRANSITION_NAME);
  return () => {
    element?.style.removeProperty("view-transition-name");
  };
}
