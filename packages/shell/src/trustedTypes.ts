/** The part of the Trusted Types API used here. TypeScript's DOM library lacks it. */
interface PolicyFactory {
  createPolicy(name: "default", rules: { readonly createScriptURL: (url: string) => string | null }): unknown;
}

/** Returns a script URL if it points to a release file on this origin; null makes the browser block it. */
export function allowScriptUrl(url: string): string | null {
  if (!URL.canParse(url, document.baseURI)) return null;
  // Parsed as the browser parses it, so that dot segments cannot escape /assets/.
  const { origin, pathname } = new URL(url, document.baseURI);
  return origin === location.origin && pathname.startsWith("/assets/") ? url : null;
}

/**
 * Creates the only policy that documents allow. Webpack and the loader of sections set script URLs as strings, which the
 * browser passes to this default policy. It has no rule for HTML or script text, so creating either from a string fails.
 */
export function installTrustedTypesPolicy(global: { readonly trustedTypes?: PolicyFactory }): void {
  // Without Trusted Types, this global is the element with that ID, if the page has one.
  if (Object.hasOwn(global, "trustedTypes"))
    global.trustedTypes?.createPolicy("default", { createScriptURL: allowScriptUrl });
}

installTrustedTypesPolicy(globalThis as { trustedTypes?: PolicyFactory });
