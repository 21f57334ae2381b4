import type { Boot } from "@colonnade/kit/shell";

import { viewPath } from "./loading/reload.js";

/**
 * Reads the boot payload from the document. The gateway writes it last, so an earlier element with
 * its ID, such as a heading of a page, is not it.
 *
 * @throws Error if the document has none, which means that the gateway did not make it.
 */
export function readBoot(document: Document): Boot {
  const json = [...document.querySelectorAll("script#boot")].at(-1)?.textContent;
  if (!json) throw new Error('the document has no boot payload; expected a data block with id "boot"');
  const boot = JSON.parse(json) as Boot;
  return { ...boot, deployment: pinnedSet() ?? boot.deployment };
}

/**
 * The whole name of the visitor's set, while candidates of other pages are part of it. The document
 * itself is without them, so that visitors share it. Undefined too where a browser does not provide
 * the `Server-Timing` header: then the tab gets these pages as without their candidates.
 */
function pinnedSet(): string | undefined {
  return navigationTiming()?.serverTiming?.find(({ name }) => name === "deployment")?.description;
}

function navigationTiming(): Partial<PerformanceNavigationTiming> | undefined {
  const [navigation] = performance.getEntriesByType("navigation") as Partial<PerformanceNavigationTiming>[];
  return navigation;
}

/**
 * Whether the document is that of the URL. Before the shell starts, Back and Forward change only the URL. After a redirect, which
 * not all browsers name in the same way, the document counts as that of the URL.
 */
export function isDocumentOfUrl({ form }: Boot): boolean {
  const { name, redirectCount } = navigationTiming() ?? {};
  // The response to a form post gets the URL of its page.
  if (form || redirectCount || !name?.startsWith(`${location.origin}/`)) return true;
  return viewPath(new URL(name)) === viewPath(location);
}

// The elements whose name becomes a property of `document`.
const NAMED = "embed,form,iframe,img,object";

interface Root {
  querySelectorAll(selectors: string): Iterable<Element>;
}

/**
 * Removes each name of an element that hides a member of `document`, now and whenever the page
 * changes: with `<form name="head">` in the page, `document.head` is the form (HTML Standard, "DOM
 * tree accessors"). The shell and React read such members all the time. A name that other code
 * restores is removed twice, and then stays, so that the two do not alternate without end.
 */
export function revealDocumentMembers(document: Document): void {
  // Through the prototypes: the page's elements may also hide these methods of the document and of
  // a form.
  const root: Root = Document.prototype;
  const methods: Root & Pick<Element, "matches" | "getAttribute" | "removeAttribute"> = Element.prototype;
  const removals = new WeakMap<Element, number>();
  const removeHiding = (element: Element, attribute: string, selectors: string): void => {
    const name = methods.matches.call(element, selectors) && methods.getAttribute.call(element, attribute);
    const count = removals.get(element) ?? 0;
    if (!name || !(name in Document.prototype) || count > 1) return;
    methods.removeAttribute.call(element, attribute);
    removals.set(element, count + 1);
  };
  const reveal = (elements: Iterable<Element>): void => {
    for (const element of elements) {
      removeHiding(element, "name", NAMED);
      // The ID of these becomes a property, too.
      removeHiding(element, "id", "img[name],object");
    }
  };
  reveal(root.querySelectorAll.call(document, NAMED));
  // Its callback runs before the next task, not within the commit of React that inserts an element.
  new MutationObserver((records) => {
    for (const { attributeName, target, addedNodes } of records) {
      if (attributeName) reveal([target as Element]);
      for (const node of addedNodes)
        if (node instanceof Element) reveal([node, ...methods.querySelectorAll.call(node, NAMED)]);
    }
  }).observe(document, { subtree: true, childList: true, attributeFilter: ["id", "name"] });
}
