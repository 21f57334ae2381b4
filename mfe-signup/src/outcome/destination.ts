import { isPagePath } from "@colonnade/kit";

/** Where a visitor ends whose sign-up names no other place. */
export const SUCCESS_PATH = "/success";

/** Where a sign-up leads. */
export type Destination =
  /** A page of this site. */
  | { readonly kind: "page"; readonly path: string }
  /** An address on this origin that the browser is to load by itself. */
  | { readonly kind: "document"; readonly url: string }
  /** Another host, which the operator named. */
  | { readonly kind: "away"; readonly url: string; readonly host: string };

const SUCCESS: Destination = { kind: "page", path: SUCCESS_PATH };

/**
 * Where to go after a sign-up: `redirectUrl` of the answer where it is on this `origin`, or over https
 * on one of `hosts`; everything else, of whatever type, ends on the site's own page.
 */
export function destinationOf(redirectUrl: unknown, origin: string, hosts: readonly string[]): Destination {
  if (typeof redirectUrl !== "string" || redirectUrl === "") return SUCCESS;
  const url = parse(redirectUrl, origin);
  // A name and password before the host make an address look like another one.
  if (url?.username !== "" || url.password !== "") return SUCCESS;
  // Not compared by `url.origin`: that of a blob: address is the origin that made it.
  if (`${url.protocol}//${url.host}` === origin) {
    return isPagePath(url.pathname) && url.search === "" && url.hash === ""
      ? { kind: "page", path: url.pathname }
      : { kind: "document", url: url.href };
  }
  return url.protocol === "https:" && hosts.includes(url.host)
    ? { kind: "away", url: url.href, host: url.host }
    : SUCCESS;
}

function parse(address: string, base: string): URL | null {
  try {
    return new URL(address, base);
  } catch {
    return null;
  }
}
