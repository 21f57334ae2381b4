import { isSitePath } from "./paths.js";

// A registered symbol: values from another copy of the kit are recognized too.
const REDIRECT = Symbol.for("colonnade.redirect");

/**
 * Returned by a page's `data` to send the visitor to another page. The gateway responds with 307; in a navigation within the
 * document, the shell replaces the history entry.
 */
export interface Redirect {
  /** Path on this site, percent-encoded. May have a query and a fragment. */
  readonly path: string;
}

/**
 * Creates the value that a page's `data` returns to send the visitor to another path of this site.
 *
 * @throws Error if the path is not one of this site.
 */
export function redirect(path: string): Redirect {
  const [, pathname = "", rest = ""] = /^([^?#]*)(.*)$/s.exec(path) ?? [];
  if (!isSitePath(pathname) || /[^!-~]/.test(rest))
    throw new Error(`redirect(${JSON.stringify(path)}): expected a path of this site, percent-encoded`);
  const result = { path };
  Object.defineProperty(result, REDIRECT, { value: true });
  return result;
}

/** Returns whether the value was created by {@link redirect}. */
export function isRedirect(value: unknown): value is Redirect {
  return typeof value === "object" && value !== null && REDIRECT in value;
}
