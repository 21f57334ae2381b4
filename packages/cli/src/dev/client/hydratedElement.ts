import { stackOfElement } from "./elementStack.js";

// A line of the tree of elements in React's message: an element of HTML, or the browser's text.
const ELEMENT = /^[+ ] +<([a-z][\w-]*)/;
const TEXT = /^\+ +([^<\s].*)$/;

/**
 * Returns the stack of the JSX expression of the element that failed to hydrate: the innermost one around the first
 * difference in React's message. React's own stack names only components. Empty if the page has no such element.
 */
export function stackOfMismatch(message: string): string {
  const lines = message.slice(message.indexOf("https://react.dev/")).split("\n");
  const marked = lines.findIndex((line) => /^[+-] /.test(line));
  const browser = lines.findIndex((line, index) => index >= marked && line.startsWith("+ "));
  const [at, text] = browser === -1 ? [marked, ""] : [browser, TEXT.exec(lines[browser] ?? "")?.[1] ?? ""];
  const tag = lines.slice(0, at + 1).findLast((line) => ELEMENT.test(line));
  if (marked === -1 || tag === undefined) return "";
  // React has rendered the element again in the browser.
  const stacks = [...document.querySelectorAll(ELEMENT.exec(tag)?.[1] ?? "")]
    .filter((element) => element.textContent.includes(text))
    .map(stackOfElement)
    .filter((stack) => stack !== "");
  // Elements of several JSX expressions may have this text.
  return new Set(stacks).size === 1 ? (stacks[0] ?? "") : "";
}
