import { stackOfElement } from "./elementStack.js";

const URL_ATTRIBUTES = ["src", "srcset", "poster", "data"] as const;

/**
 * Returns the stack of the JSX expression of the element that loads a URL. The browser's report of a blocked URL names no
 * element, and the code that sets the URL is React's. Empty if unknown.
 */
export function stackOfBlocked(url: string): string {
  const selector = URL_ATTRIBUTES.map((name) => `[${name}]`).join();
  const element = [...document.querySelectorAll(selector)].find((candidate) => loads(candidate, url));
  return element ? stackOfElement(element) : "";
}

function loads(element: Element, blocked: string): boolean {
  // A report of a URL such as `data:…` contains only its scheme.
  const isBlocked = (url: string): boolean => url === blocked || url.startsWith(`${blocked}:`);
  return URL_ATTRIBUTES.some((name) => {
    const value = element.getAttribute(name) ?? "";
    const urls = name === "srcset" ? value.split(",").map((source) => source.trim().split(/\s/)[0] ?? "") : [value];
    return urls.some((url) => URL.canParse(url, document.baseURI) && isBlocked(new URL(url, document.baseURI).href));
  });
}
