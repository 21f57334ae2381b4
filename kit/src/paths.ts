/** Params of a path by name, decoded. */
export type Params = Record<string, string>;

// First segments of the paths that the gateway answers by itself, besides all that begin with an underscore.
const RESERVED = new Set([
  "assets",
  "functions",
  "go",
  "api",
  "robots.txt",
  "sitemap.xml",
  "manifest.webmanifest",
  ".well-known",
  "favicon.ico",
  "healthz",
  "readyz",
]);

function segments(path: string): string[] {
  return path === "/" ? [] : path.slice(1).split("/");
}

// Browsers resolve dot segments away, encoded or not; a slash or NUL that was hidden by encoding means mischief.
function isCarried(value: string): boolean {
  return value !== "." && value !== ".." && !/[/\0]/.test(value);
}

// Decoded once. A segment whose encoding is broken, or whose value no path carries, matches nothing.
function decode(segment: string): string | null {
  let text: string;
  try {
    text = decodeURIComponent(segment);
  } catch {
    return null;
  }
  return isCarried(text) ? text : null;
}

/** Whether a path of this origin can be a page's, which the shell follows without leaving the document. */
export function isPagePath(path: string): boolean {
  const first = decode(path.split("/")[1] ?? "");
  return first !== null && !first.startsWith("_") && !RESERVED.has(first);
}

/**
 * Matches a path (percent-encoded, without query) against one pattern. Returns the decoded params, or
 * null where it does not match. The gateway decides which pattern a path belongs to by the same rules.
 */
export function matchPath(pattern: string, path: string): Params | null {
  if (!path.startsWith("/")) return null;
  const wanted = segments(pattern);
  const given = segments(path);
  if (wanted.length !== given.length) return null;
  const params: Params = {};
  for (const [index, want] of wanted.entries()) {
    const value = decode(given[index] ?? "");
    if (value === null || value === "") return null;
    if (want.startsWith(":")) params[want.slice(1)] = value;
    else if (want !== value) return null;
  }
  return params;
}

/** Ranks patterns that match the same path: static beats param, left to right. Negative: `a` goes first. */
export function comparePatterns(a: string, b: string): number {
  const right = segments(b);
  for (const [index, segment] of segments(a).entries()) {
    const difference = Number(segment.startsWith(":")) - Number(right[index]?.startsWith(":") ?? false);
    if (difference !== 0) return difference;
  }
  return 0;
}

/**
 * The path of a pattern with its params filled in and percent-encoded:
 * `pathTo("/state/:state", { state: "New York" })` is `/state/New%20York`.
 *
 * @throws Error when a param of the pattern is missing or empty, or no path can carry its value.
 */
export function pathTo(pattern: string, params: Readonly<Params> = {}): string {
  const parts = segments(pattern).map((segment) => {
    if (!segment.startsWith(":")) return segment;
    const value = params[segment.slice(1)];
    if (!value) throw new Error(`pathTo("${pattern}"): the param "${segment.slice(1)}" is missing or empty`);
    if (!isCarried(value)) throw new Error(`pathTo("${pattern}"): no path can carry ${JSON.stringify(value)}`);
    return encodeURIComponent(value);
  });
  return `/${parts.join("/")}`;
}
