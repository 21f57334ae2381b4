import { isPagePath } from "../paths.js";

function segmentProblem(segment: string): string | null {
  if (segment === "") return "it has an empty segment";
  if (segment === "." || segment === "..") return `the segment "${segment}" means this or the parent folder`;
  if (segment.startsWith(":")) {
    return /^:[A-Za-z_]\w*$/.test(segment)
      ? null
      : `the param "${segment}" must be a colon and a name of letters, digits and "_", not beginning with a digit`;
  }
  return /^[A-Za-z0-9_.~-]+$/.test(segment)
    ? null
    : `the segment "${segment}" may only hold letters, digits, "-", "_", "." and "~"`;
}

/** What is wrong with a path pattern, or null. The gateway refuses the same patterns when a release is published. */
export function patternProblem(pattern: string): string | null {
  if (!pattern.startsWith("/")) return "it must begin with a slash";
  if (pattern === "/") return null;
  if (pattern.endsWith("/")) return "it must not end with a slash";
  const segments = pattern.slice(1).split("/");
  const params = segments.filter((segment) => segment.startsWith(":"));
  const twice = params.find((param, index) => params.indexOf(param) !== index);
  return (
    segments.map(segmentProblem).find((problem) => problem !== null) ??
    (twice ? `the param "${twice}" stands in it twice` : null) ??
    (isPagePath(pattern) ? null : `paths below "/${segments[0] ?? ""}" belong to the gateway`)
  );
}
