/** Decoded params of a path, by name. */
export type Params = Record<string, string>;

// First segments of paths that the gateway handles itself, also on a site without the integration that serves some of them.
// Segments that begin with an underscore are reserved too.
const RESERVED = new Set([
  "assets",
  "functions",
  "go",
  "api",
  "robots.txt",
  "sitemap.xml",
  "manifest.webmanifest",
  "apple-touch-icon.png",
  ".well-known",
  "favicon.ico",
  "healthz",
  "readyz",
]);

function segments(path: string): string[] {
  return path === "/" ? [] : path.slice(1).split("/");
}

// Browsers resolve dot segments, even percent-encoded ones. An encoded slash or NUL indicates path traversal.
function isSegmentValue(value: string): boolean {
  return value !== "." && value !== ".." && !/[/\0]/.test(value);
}

// Decodes once. Returns null if the encoding is malformed or the value is not allowed.
function decode(segment: string): string | null {
  let text: string;
  try {
    text = decodeURIComponent(segment);
  } catch {
    return null;
  }
  return isSegmentValue(text) ? text : null;
}

/**
 * Returns whether a path of this origin can belong to a page. The shell navigates to such paths client-side.
 *
 * @example
 * ```tsx
 * import { isPagePath } from "@colonnade/kit";
 *
 * export const follow = (path: string, navigate: (to: string) => void) =>
 *   isPagePath(path) ? navigate(path) : location.assign(path);
 * ```
 */
export function isPagePath(path: string): boolean {
  const first = decode(path.split("/")[1] ?? "");
  return first !== null && !first.startsWith("_") && !RESERVED.has(first);
}

/**
 * Returns whether a text is a percent-encoded path of this site, without query. Appended to the site's origin, it is a URL of
 * this origin. The gateway decides by the same rules.
 */
export function isSitePath(text: string): boolean {
  if (!/^\/[!-~]*$/.test(text) || /[\\?#]/.test(text)) return false;
  const parts = text.slice(1).split("/");
  if (parts.at(-1) === "") parts.pop();
  return parts.every((part) => Boolean(decode(part)));
}

/**
 * Matches a path (percent-encoded, without query) against one pattern. Returns the decoded params, or null if the path does
 * not match. The gateway matches by the same rules.
 *
 * @example
 * ```tsx
 * import { matchPath } from "@colonnade/kit";
 *
 * export const eventOf = (path: string) => matchPath("/events/:id", path)?.id;
 * ```
 */
export function matchPath(pattern: string, path: string): Params | null {
  if (!path.startsWith("/")) return null;
  const patternSegments = segments(pattern);
  const pathSegments = segments(path);
  if (patternSegments.length !== pathSegments.length) return null;
  const params: Params = {};
  for (const [index, segment] of patternSegments.entries()) {
    const value = decode(pathSegments[index] ?? "");
    if (value === null || value === "") return null;
    if (segment.startsWith(":")) params[segment.slice(1)] = value;
    else if (segment !== value) return null;
  }
  return params;
}

/**
 * Compares patterns by precedence, for `sort()`: static segments before params, from left to right. Negative if `a` takes
 * precedence.
 *
 * @example
 * ```tsx
 * import { comparePatterns } from "@colonnade/kit";
 *
 * export const patterns = ["/events/:id", "/events/new"].sort(comparePatterns);
 * ```
 */
export function comparePatterns(a: string, b: string): number {
  const right = segments(b);
  for (const [index, segment] of segments(a).entries()) {
    const difference = Number(segment.startsWith(":")) - Number(right[index]?.startsWith(":") ?? false);
    if (difference !== 0) return difference;
  }
  return 0;
}

/**
 * Builds a path from a pattern and its params, which are percent-encoded.
 *
 * @throws Error if a param is missing or empty, contains a slash or NUL, or is "." or "..".
 *
 * @example
 * ```tsx
 * import { pathTo } from "@colonnade/kit";
 *
 * // /cities/New%20York
 * export const path = pathTo("/cities/:city", { city: "New York" });
 * ```
 */
export function pathTo(pattern: string, params: Readonly<Params> = {}): string {
  const parts = segments(pattern).map((segment) => {
    if (!segment.startsWith(":")) return segment;
    const name = segment.slice(1);
    const value = params[name];
    if (!value) throw new Error(`pathTo("${pattern}"): param "${name}" is missing or empty`);
    if (!isSegmentValue(value))
      throw new Error(
        `pathTo("${pattern}"): param "${name}" is ${JSON.stringify(value)}; ` +
          'it cannot contain "/" or NUL, or be "." or ".."',
      );
    return encodeURIComponent(value);
  });
  return `/${parts.join("/")}`;
}
