import { isMarked, mark } from "./marker.js";

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
 * @throws Error if the path is not one of this site, or not percent-encoded.
 *
 * @example
 * ```tsx
 * import { pathTo, redirect } from "@colonnade/kit";
 *
 * export const data = ({ params }: { params: { id?: string } }) =>
 *   params.id === "007" ? redirect(pathTo("/events/:id", { id: "7" })) : { id: params.id ?? "" };
 * ```
 */
export function redirect(path: string): Redirect {
  // With a second slash, it would name another host.
  if (!/^\/(?![/\\])[!-~]*$/.test(path)) throw new Error(`redirect("${path}"): not a path of this site`);
  return mark({ path }, REDIRECT);
}

/**
 * Returns whether the value was created by {@link redirect}, such as the result of a page's `data` in a test.
 *
 * @example
 * ```tsx
 * import { isRedirect } from "@colonnade/kit";
 *
 * export const targetOf = (data: unknown) => (isRedirect(data) ? data.path : undefined);
 * ```
 */
export function isRedirect(value: unknown): value is Redirect {
  return isMarked(value, REDIRECT);
}
