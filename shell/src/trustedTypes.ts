/** What the Trusted Types API is used for here; TypeScript's own description of the browser lacks it. */
interface PolicyFactory {
  createPolicy(name: "default", rules: { readonly createScriptURL: (url: string) => string | null }): unknown;
}

/**
 * Whether a script may be loaded from an address: only where it is a file of a release, on this origin. Returns the
 * address, or null for what the browser is to refuse.
 */
export function admitScript(url: string): string | null {
  if (!URL.canParse(url, document.baseURI)) return null;
  // As the browser will read it, so that no dot segment leads elsewhere.
  const { origin, pathname } = new URL(url, document.baseURI);
  return origin === location.origin && pathname.startsWith("/assets/") ? url : null;
}

/**
 * Makes the one policy that documents allow. Webpack and Module Federation set addresses of scripts as plain text,
 * which the browser hands to this policy. There is no rule for HTML and for the text of scripts: whoever makes either
 * out of text fails.
 */
export function guardScripts(factory: PolicyFactory | undefined): void {
  factory?.createPolicy("default", { createScriptURL: admitScript });
}

guardScripts((globalThis as { trustedTypes?: PolicyFactory }).trustedTypes);
