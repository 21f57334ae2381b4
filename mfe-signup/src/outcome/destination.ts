import type { Signup } from "@colonnade/design";
import { isPagePath } from "@colonnade/kit";

/** Destination after a sign-up. */
export type Destination =
  /** A page of the site, optionally with a fragment. */
  | { readonly kind: "page"; readonly path: string }
  /** A URL on this origin that needs a full page load. */
  | { readonly kind: "document"; readonly url: string }
  /** A URL on an allowed host. */
  | { readonly kind: "external"; readonly url: string; readonly host: string };

/**
 * Returns the destination after a sign-up: `redirectUrl` if it is a possible page of `origin` or an https URL on an
 * allowed host, otherwise the success page. Prevents open redirects. The gateway applies the same rules; both are tested
 * against the same table.
 */
export function destinationOf(redirectUrl: unknown, origin: string, signup: Signup): Destination {
  const success: Destination = { kind: "page", path: signup.success };
  if (typeof redirectUrl !== "string") return success;
  // A path must stay on this origin.
  const isPath = redirectUrl.startsWith("/");
  const url = parse(redirectUrl, isPath ? origin : undefined);
  // User information before the host can disguise a URL.
  if (url?.username !== "" || url.password !== "") return success;
  // Not `url.origin`, which for a blob: URL is the origin that created it.
  if (`${url.protocol}//${url.host}` === origin) {
    if (!isPossiblePage(url.pathname)) return success;
    return url.search === ""
      ? { kind: "page", path: `${url.pathname}${url.hash}` }
      : { kind: "document", url: url.href };
  }
  return !isPath && url.protocol === "https:" && signup.redirectHosts.includes(url.host)
    ? { kind: "external", url: url.href, host: url.host }
    : success;
}

// Excludes reserved paths such as /go, which would redirect to a partner without a labeled link, and paths with an empty
// segment, because '//host' is another host.
function isPossiblePage(path: string): boolean {
  return isPagePath(path) && !path.includes("//");
}

function parse(url: string, base: string | undefined): URL | null {
  try {
    return new URL(url, base);
  } catch {
    return null;
  }
}
