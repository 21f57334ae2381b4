// The extension points that a page or the shell lists.
import type { AnyExtensionPoint } from "@colonnade/kit/shell";
import { findNonJson } from "@colonnade/kit/server";
import { isPointVersion, pointIdProblem } from "../../build/extensionPoint.js";
import type { ReleaseExtensionPoint } from "../../build/release.js";
import { MAX_EXAMPLES, MAX_SHOWN } from "../limits.js";
import type { StepResult, Violation } from "./violation.js";

/** Extension points as a release describes them, and the problems of those that it cannot have. */
export interface DescribedPoints {
  readonly points: readonly ReleaseExtensionPoint[];
  readonly problems: readonly Violation[];
}

/**
 * Describes the value of `extensionPoints`. `owner` is the name of the section that opens them, or `shell`; `subject` what has
 * the value, for messages.
 */
export function describePoints(value: unknown, owner: string, subject: string): DescribedPoints {
  if (!Array.isArray(value)) {
    const problem = `extensionPoints of ${subject} is no list; expected results of defineExtensionPoint()`;
    return { points: [], problems: value === undefined ? [] : [{ problem }] };
  }
  const points = new Map<string, ReleaseExtensionPoint>();
  const problems: Violation[] = [];
  for (const point of value as readonly AnyExtensionPoint[]) {
    const violation = pointProblem(point, owner, subject, points);
    if (violation) problems.push(violation);
    else {
      const { id, version, max, examples, reference } = point;
      points.set(reference, { id, version, max, examples });
    }
  }
  return { points: [...points.values()], problems };
}

function pointProblem(
  point: Partial<AnyExtensionPoint> | null | undefined,
  owner: string,
  subject: string,
  earlier: ReadonlyMap<string, unknown>,
): StepResult {
  const { id, version, max, examples, reference } = point ?? {};
  if (typeof reference !== "string")
    return { problem: `extensionPoints of ${subject} has something else; expected results of defineExtensionPoint()` };
  const name = `the extension point "${reference}" of ${subject}`;
  const idProblem = pointIdProblem(id, owner);
  if (idProblem !== null) return { problem: `${name} has the ID "${String(id)}"; ${idProblem}` };
  if (!isPointVersion(version))
    return { problem: `${name} has the version ${String(version)}; expected an integer from 1` };
  if (!Number.isInteger(max) || Number(max) < 1 || Number(max) > MAX_SHOWN)
    return { problem: `${name} has max ${String(max)}; expected an integer from 1 to ${String(MAX_SHOWN)}` };
  if (earlier.has(reference)) return { problem: `${name} is listed twice; expected once` };
  return examplesProblem(examples, name);
}

function examplesProblem(examples: unknown, name: string): StepResult {
  const count = Array.isArray(examples) ? examples.length : 0;
  if (count < 1 || count > MAX_EXAMPLES)
    return { problem: `${name} has ${String(count)} examples; expected 1 to ${String(MAX_EXAMPLES)}` };
  for (const [index, example] of (examples as readonly unknown[]).entries()) {
    const violation = propsProblem(example, `example ${String(index + 1)} of ${name}`);
    if (violation) return violation;
  }
  return null;
}

/** Finds that the props of extensions are no object, or that JSON would change them. `subject` are the props, for messages. */
export function propsProblem(props: unknown, subject: string): StepResult {
  const isObject = typeof props === "object" && props !== null && !Array.isArray(props);
  if (!isObject) return { problem: `${subject}: expected an object` };
  const found = findNonJson(props);
  if (found === null) return null;
  return {
    code: "COL112",
    problem: `${subject}: not JSON-serializable; expected only null, booleans, finite numbers, strings, arrays and plain objects`,
    advice: `props${found}. Pass only what JSON keeps: convert dates to strings, maps to arrays, and leave out undefined.`,
  };
}
