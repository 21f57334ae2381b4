/** The part of the Trusted Types API used here. TypeScript's DOM library lacks it. */
interface PolicyFactory {
  createPolicy(name: "default", rules: Readonly<Record<"createHTML" | "createScriptURL", Rule>>): unknown;
}

/** Returns the value if the browser may use it at a sink, such as `Element innerHTML`; null makes the browser block it. */
type Rule = (value: string, type?: string, sink?: string) => string | null;

/** Returns a script URL if it points to a release file on this origin, or is a worker's that the policy of workers decides on. */
export const allowScriptUrl: Rule = (url, _type, sink) => {
  if (!URL.canParse(url, document.baseURI)) return null;
  // Parsed as the browser parses it, so that dot segments cannot escape /assets/.
  const { origin, pathname, protocol } = new URL(url, document.baseURI);
  const isAllowed = pathname.startsWith("/assets/") || (protocol === "blob:" && sink?.includes("Worker"));
  return isAllowed && origin === location.origin ? url : null;
};

/**
 * Returns text that has no markup, such as the CSS that React puts into a style element: in any element it is only text. The browser
 * does not say which element it is for.
 */
export const allowText: Rule = (text, _type, sink) =>
  sink === "Element innerHTML" && !/<[a-z/!?]/i.test(text) ? text : null;

/**
 * Creates the only policy that documents allow. Webpack and the loader of sections set script URLs as strings, which the
 * browser passes to this default policy. It has no rule for script text and allows no markup, so creating either from a string fails.
 */
export function installTrustedTypesPolicy(global: { readonly trustedTypes?: PolicyFactory }): void {
  // Without Trusted Types, this global is the element with that ID, if the page has one.
  if (Object.hasOwn(global, "trustedTypes"))
    global.trustedTypes?.createPolicy("default", { createHTML: allowText, createScriptURL: allowScriptUrl });
}

installTrustedTypesPolicy(globalThis as { trustedTypes?: PolicyFactory });
