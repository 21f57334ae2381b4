import { isPagePath, type SiteFacts } from "@colonnade/kit";

/** Where a sign-up leads. */
export type Destination =
  /** A page of this site, or a place in it. */
  | { readonly kind: "page"; readonly path: string }
  /** An address on this origin that the browser is to load by itself. */
  | { readonly kind: "document"; readonly url: string }
  /** Another host, which the operator named. */
  | { readonly kind: "away"; readonly url: string; readonly host: string };

/**
 * Where to go after a sign-up: `redirectUrl` of the answer where it may be a page of this `origin`, or is over
 * https on one of the configured hosts; everything else, of whatever type, ends on the site's own page. The gateway
 * admits the same; one table of cases tests both.
 */
export function destinationOf(redirectUrl: unknown, origin: string, signup: SiteFacts["signup"]): Destination {
  const success: Destination = { kind: "page", path: signup.success };
  if (typeof redirectUrl !== "string") return success;
  // What looks like a path is to stay on this origin.
  const isPath = redirectUrl.startsWith("/");
  const url = parse(redirectUrl, isPath ? origin : undefined);
  // A name and password before the host make an address look like another one.
  if (url?.username !== "" || url.password !== "") return success;
  // Not compared by `url.origin`: that of a blob: address is the origin that made it.
  if (`${url.protocol}//${url.host}` === origin) {
    if (!mayBePage(url.pathname)) return success;
    return url.search === ""
      ? { kind: "page", path: `${url.pathname}${url.hash}` }
      : { kind: "document", url: url.href };
  }
  return !isPath && url.protocol === "https:" && signup.redirectHosts.includes(url.host)
    ? { kind: "away", url: url.href, host: url.host }
    : success;
}

// What is below /go, say, may not: it would lead to a partner by a link that nobody labelled. Nor may a path with an
// empty segment, since '//host' names another host.
function mayBePage(path: string): boolean {
  return isPagePath(path) && !path.includes("//");
}

function parse(address: string, base: string | undefined): URL | null {
  try {
    return new URL(address, base);
  } catch {
    return null;
  }
}
