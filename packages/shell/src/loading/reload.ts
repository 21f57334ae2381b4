/** Reloads the document, which may come from a newer deployment. Never resolves, so that nothing renders meanwhile. */
export function reloadDocument(): Promise<never> {
  location.reload();
  return new Promise<never>(() => undefined);
}

/** Whether the document at a path can be fetched right now. */
export function isReachable(path: string): Promise<boolean> {
  return fetch(path, { method: "HEAD", cache: "no-store" }).then(
    (response) => response.ok,
    () => false,
  );
}

/** The names of the query parameters that pages declare, by the path of the page. */
export const searchNames = new Map<string, readonly string[]>();

/** A path without a trailing slash: the gateway redirects a document's. */
export function withoutSlash(pathname: string): string {
  return pathname.replace(/(.)\/$/, "$1");
}

/**
 * The path of the view at a URL, without a trailing slash: with those query parameters that its page
 * declares or, as long as the page is unknown, with all, sorted.
 */
export function viewPath({ pathname, search }: { readonly pathname: string; readonly search: string }): string {
  const path = withoutSlash(pathname);
  const names = searchNames.get(path);
  const isDeclared = (pair: string): unknown => names?.some((name) => pair.startsWith(`${name}=`)) ?? pair;
  const pairs = search.slice(1).split("&").filter(isDeclared).sort();
  return pairs.length > 0 ? `${path}?${pairs.join("&")}` : path;
}

/** The path of a view, now that its page may be known. */
export function knownPath(path: string): string {
  return viewPath(new URL(path, location.origin));
}

/** The path of a view without its query. */
export function pathnameOf(path: string): string {
  return path.replace(/\?.*/, "");
}

/** Whether the tab is at the path of a view. The visitor may have navigated away while the view was loading. */
export function isCurrentPath(path: string): boolean {
  return knownPath(path) === viewPath(location);
}

const TEXT_INPUTS = "textarea, input:not([type=hidden], [type=submit], [type=button], [type=reset], [type=image])";
const CHOICE_TYPES = new Set(["checkbox", "radio", "range", "color"]);

/** Whether the document contains text that the visitor typed and that a reload would lose. */
export function hasTypedText(): boolean {
  const fields = document.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>(TEXT_INPUTS);
  return [...fields].some(({ type, value }) => !CHOICE_TYPES.has(type) && value !== "");
}
