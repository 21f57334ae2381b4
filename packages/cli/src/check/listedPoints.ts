import type { ReleaseExtensionPoint } from "../build/release.js";
import { MAX_EXAMPLE_BYTES, MAX_EXTENSIONS } from "./limits.js";
import { problemOf, type Problem } from "./problem.js";

/** The reference of an extension point: its ID with its version. */
export function referenceOf({ id, version }: Pick<ReleaseExtensionPoint, "id" | "version">): string {
  return `${id}@${String(version)}`;
}

/**
 * Merges the extension points that the pages of a section open, or the shell. `location` is the position of problems: two
 * definitions of a point, and more points or larger examples than the gateway accepts.
 */
export function mergePoints(
  opened: readonly ReleaseExtensionPoint[],
  location: string | undefined,
): { readonly points: readonly ReleaseExtensionPoint[]; readonly problems: readonly Problem[] } {
  const points = new Map<string, ReleaseExtensionPoint>();
  const problems: Problem[] = [];
  for (const point of opened) {
    const reference = referenceOf(point);
    const earlier = points.get(reference) ?? point;
    if (JSON.stringify(earlier) !== JSON.stringify(point)) {
      const message = `two pages open different extension points "${reference}"; expected the same max and examples`;
      problems.push(problemOf("COL100", message, location, "Define the point once, and import it in both pages."));
    }
    points.set(reference, earlier);
  }
  const all = [...points.values()];
  if (all.length > MAX_EXTENSIONS) {
    const message = `${String(all.length)} extension points are listed; expected at most ${String(MAX_EXTENSIONS)}`;
    problems.push(problemOf("COL100", message, location, "Remove some of them."));
  }
  const bytes = Buffer.byteLength(JSON.stringify(all.map(({ examples }) => examples)));
  if (bytes > MAX_EXAMPLE_BYTES) {
    const message = `the examples of extension points have ${String(bytes)} bytes of JSON; expected at most ${String(MAX_EXAMPLE_BYTES)}`;
    problems.push(problemOf("COL100", message, location, "Remove some of them, or shorten their texts."));
  }
  return { points: all, problems };
}
