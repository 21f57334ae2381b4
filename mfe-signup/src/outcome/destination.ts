import { isPagePath, type SiteFacts } from "@colonnade/kit";

/** Where a sign-up leads. */
export type Destination =
  /** A page of this site. */
  | { readonly kind: "page"; readonly path: string }
  /** An address on this origin that the browser is to load by itself. */
  | { readonly kind: "document"; readonly url: string }
  /** Another host, which the operator named. */
  | { readonly kind: "away"; readonly url: string; readonly host: string };

/**
 * Where to go after a sign-up: `redirectUrl` of the answer where it is on this `origin`, or over https
 * on one of the configured hosts; everything else, of whatever type, ends on the site's own page.
 */
export function destinationOf(redirectUrl: unknown, origin: string, signup: SiteFacts["signup"]): Destination {
  const success: Destination = { kind: "page", path: signup.success };
  if (typeof redirectUrl !== "string" || redirectUrl === "") return success;
  const url = parse(redirectUrl, origin);
  // A name and password before the host make an address look like another one.
  if (url?.username !== "" || url.password !== "") return success;
  // Not compared by `url.origin`: that of a blob: address is the origin that made it.
  if (`${url.protocol}//${url.host}` === origin) {
    return isPagePath(url.pathname) && url.search === "" && url.hash === ""
      ? { kind: "page", path: url.pathname }
      : { kind: "document", url: url.href };
  }
  return url.protocol === "https:" && signup.redirectHosts.includes(url.host)
    ? { kind: "away", url: url.href, host: url.host }
    : success;
}

function parse(address: string, base: string): URL | null {
  try {
    return new URL(address, base);
  } catch {
    return null;
  }
}
