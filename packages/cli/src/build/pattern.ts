import { MAX_SEGMENTS } from "../check/limits.js";
import { isPagePath } from "@colonnade/kit/contract";

function segmentProblem(segment: string): string | null {
  if (segment === "*") return null;
  if (segment === "") return "it has an empty segment";
  if (segment === "." || segment === "..") return `the segment "${segment}" is a dot segment`;
  if (segment.startsWith(":")) {
    return /^:[A-Za-z_]\w*$/.test(segment)
      ? null
      : `the param "${segment}" must be a colon and a name of letters, digits and "_" that does not begin with a digit`;
  }
  return /^[A-Za-z0-9_.~-]+$/.test(segment)
    ? null
    : `the segment "${segment}" may contain only letters, digits, "-", "_", "." and "~"`;
}

/** Whether two patterns match the same paths: they differ only in the names of params. */
export function collidingPatterns(one: string, other: string): boolean {
  return withoutNames(one) === withoutNames(other);
}

function withoutNames(pattern: string): string {
  return pattern.replace(/\/:[^/]*/g, "/:");
}

/** Returns what is wrong with a path pattern, or null if it is valid. The gateway rejects the same patterns on publish. */
export function patternProblem(pattern: string): string | null {
  if (!pattern.startsWith("/")) return "it must begin with a slash";
  if (pattern === "/") return null;
  if (pattern.endsWith("/")) return "it must not end with a slash";
  const segments = pattern.slice(1).split("/");
  if (segments.length > MAX_SEGMENTS)
    return `it has ${String(segments.length)} segments; expected at most ${String(MAX_SEGMENTS)}`;
  const rest = segments.indexOf("*");
  if (rest === 0 || (rest > 0 && rest < segments.length - 1))
    return 'the segment "*" must be the last one, and not the only one';
  const params = segments.filter((segment) => segment.startsWith(":"));
  const duplicate = params.find((param, index) => params.indexOf(param) !== index);
  return (
    segments.map(segmentProblem).find((problem) => problem !== null) ??
    (duplicate ? `it has the param "${duplicate}" more than once` : null) ??
    (isPagePath(pattern) ? null : `paths under "/${segments[0] ?? ""}" are reserved for the gateway on every site`)
  );
}
