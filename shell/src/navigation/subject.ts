// The one thing that two pages have in common, such as a city: its name in a list, and the heading of its own page.

const NAME = "subject";

function depth(path: string): number {
  return path.split("/").filter(Boolean).length;
}

function isInView(element: Element): boolean {
  const { top, bottom } = element.getBoundingClientRect();
  return bottom > 0 && top < innerHeight;
}

/** The name, in a list of the page that is shown, of what the page at a path is about. */
function nameInList(path: string): HTMLElement | undefined {
  const links = document.querySelectorAll<HTMLAnchorElement>(`main li a[href="${CSS.escape(path)}"]`);
  const link = [...links].find((found) => !found.closest("nav") && isInView(found));
  return link?.querySelector("strong") ?? link;
}

function find(here: string, there: string): HTMLElement | undefined {
  if (depth(here) === depth(there)) return undefined;
  if (depth(here) < depth(there)) return nameInList(there);
  return document.querySelector<HTMLElement>("main h1") ?? undefined;
}

/**
 * Marks, for a view transition, what the page that is shown has in common with the one it leads to, or came from:
 * going deeper it is a name in a list here and the heading there, coming back the other way round.
 *
 * @returns Takes the mark away.
 */
export function markSubject(here: string, there: string): () => void {
  const element = find(here, there);
  element?.style.setProperty("view-transition-name", NAME);
  return () => {
    element?.style.removeProperty("view-transition-name");
  };
}
