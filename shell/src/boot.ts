import type { Boot } from "@colonnade/kit/shell";

/**
 * Reads the boot payload from the document. The gateway writes it last, so an earlier element with its ID, such as a heading
 * of a page, is not it.
 *
 * @throws Error if the document has none, which means that the gateway did not make it.
 */
export function readBoot(document: Document): Boot {
  const json = [...document.querySelectorAll("script#boot")].at(-1)?.textContent;
  if (!json) throw new Error('the document has no boot payload; expected a data block with id "boot"');
  return JSON.parse(json) as Boot;
}

// The elements whose name or ID becomes a property of `document`.
const NAMED: readonly (readonly [attribute: string, selectors: string])[] = [
  ["name", "embed,form,iframe,img,object"],
  ["id", "img[name],object"],
];

/**
 * Removes each name of an element that hides a member of `document`, now and whenever the page changes: with
 * `<form name="head">` in the page, `document.head` is the form (HTML Standard, "DOM tree accessors"). The shell and React read
 * such members all the time.
 */
export function revealDocumentMembers(document: Document): void {
  const reveal = (): void => {
    // Through the prototypes: the page's elements may also hide these methods of the document and of a form.
    const methods = Element.prototype;
    const root: { querySelectorAll(selectors: string): Iterable<Element> } = Document.prototype;
    for (const [attribute, selectors] of NAMED)
      for (const element of root.querySelectorAll.call(document, selectors)) {
        const name = methods.getAttribute.call(element, attribute);
        if (name !== null && name in Document.prototype) methods.removeAttribute.call(element, attribute);
      }
  };
  reveal();
  // Its callback runs before the next task, not within the commit of React that inserts an element.
  new MutationObserver(reveal).observe(document, { subtree: true, childList: true, attributeFilter: ["id", "name"] });
}
