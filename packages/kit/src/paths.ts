/** Decoded params of a path, by name. The rest of a path, which a last segment `*` matches, has the name `*`. */
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

/** The last segment of a pattern that matches the rest of a path. */
const REST = "*";

/** Whether a pattern matches one path only, which is its text. */
export function isStaticPattern(pattern: string): boolean {
  return !/\/[:*]/.test(pattern);
}

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
  const values = segments(path).map(decode);
  if (!values.every(Boolean)) return null;
  const expected = segments(pattern);
  const params: Params = {};
  if (expected.at(-1) === REST) {
    expected.pop();
    params[REST] = values.splice(expected.length).join("/");
  }
  if (expected.length !== values.length) return null;
  for (const [index, segment] of expected.entries()) {
    const value = values[index] ?? "";
    if (segment.startsWith(":")) params[segment.slice(1)] = value;
    else if (segment !== value) return null;
  }
  return params;
}

/** What {@link comparePatterns} compares, character by character. The end of a pattern comes before the rest of a path. */
function precedence(pattern: string): string {
  const ranks = segments(pattern).map((segment) => (segment === REST ? 3 : Number(segment.startsWith(":"))));
  return `${ranks.join("")}2`;
}

/**
 * Compares patterns by precedence, for `sort()`: static segments before params, and params before the rest of a path, from left to
 * right. Negative if `a` takes precedence.
 */
export function comparePatterns(a: string, b: string): number {
  const [left, right] = [precedence(a), precedence(b)];
  return Number(left > right) - Number(left < right);
}

/**
 * Builds a path from a pattern and its params, which are percent-encoded. The rest of a path, `*`, may be missing, and has a slash
 * between its segments.
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
  const encode = (name: string, value: string | undefined): string => {
    if (!value) throw new Error(`pathTo("${pattern}"): param "${name}" is missing or empty`);
    if (!isSegmentValue(value))
      throw new Error(
        `pathTo("${pattern}"): param "${name}" is ${JSON.stringify(value)}; ` +
          'it cannot contain "/" or NUL, or be "." or ".."',
      );
    return encodeURIComponent(value);
  };
  const parts = segments(pattern).flatMap((segment) => {
    if (segment === REST) return segments(`/${params[REST] ?? ""}`).map((value) => encode(REST, value));
    const name = segment.slice(1);
    return segment.startsWith(":") ? encode(name, params[name]) : segment;
  });
  return `/${parts.join("/")}`;
}
