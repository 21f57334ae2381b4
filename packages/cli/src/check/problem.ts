import type { ContentPolicy } from "../build/policy.js";
import { BuildError } from "../build/usageError.js";
import { kindOf, type ProblemCode, type Severity } from "./codes.js";
import { guideHint } from "./guide.js";
import { withPermission, type Permission } from "./permission.js";

// Line 9 comes before line 10.
const { compare } = new Intl.Collator("en", { numeric: true });

/** A violation of the section contract that `colonnade check` found. */
export interface Problem {
  readonly code: ProblemCode;
  readonly severity: Severity;
  /** What happened, and on which page. */
  readonly message: string;
  /** What to do instead, unless the message says it. */
  readonly help?: string;
  /** `src/pages/lab.tsx:12:8`, relative to the package; undefined if unknown. */
  readonly location: string | undefined;
  /** What permits it, if the policy can. */
  readonly permission?: Permission;
}

/** Creates a problem with the help text of its code. `advice` replaces that text. */
export function problemOf(
  code: ProblemCode,
  message: string,
  location: string | undefined,
  advice = kindOf(code).help,
  permission?: Permission,
): Problem {
  const { severity = "error" } = kindOf(code);
  const help = withPermission(advice ?? "", permission);
  return { code, severity, message, ...(help !== "" && { help }), location, ...(permission && { permission }) };
}

/** Returns a problem as a warning if these policies permit only the style elements of hashes, which the check does not compare. */
export function warnedOfHashes(problem: Problem, policies: readonly (ContentPolicy | undefined)[]): Problem {
  const permitted = policies.map((policy) => policy?.styleElements);
  const { permission, ...rest } = problem;
  if (permission?.key !== "styleElements" || permitted.includes(true)) return problem;
  const hashes = permitted.flat().filter((each) => typeof each === "string");
  if (hashes.length === 0) return problem;
  const help = `The policy permits only the style elements of these hashes, which the check does not compare: ${hashes.join(", ")}.`;
  return { ...rest, severity: "warning", help };
}

/** The problems that fail the check. */
export function errorsIn(problems: readonly Problem[]): Problem[] {
  return problems.filter(({ severity }) => severity === "error");
}

/** The texts of the problems that do not fail the check. */
export function warningsIn(problems: readonly Problem[]): string[] {
  return problems.filter(({ severity }) => severity === "warning").map(describe);
}

/** Thrown if the section in `folder` does not pass its check. The message lists all problems. */
export class CheckError extends BuildError {
  constructor(
    readonly section: string,
    readonly problems: readonly Problem[],
    folder: string,
  ) {
    const errors = errorsIn(problems);
    const count = errors.length === 1 ? "1 problem" : `${String(errors.length)} problems`;
    const texts = [...errors.map(describe), ...warningsIn(problems).map((text) => `warning: ${text}`)];
    const kind = section === "shell" ? "shells" : "sections";
    super([`${section} breaks the rules for ${kind}: ${count}`, ...texts, guideHint(folder)].join("\n\n"));
  }
}

function describe({ code, message, help, location }: Problem): string {
  const lines = [`${code} ${message}`, location && `  at ${location}`, help && `  ${help}`];
  return lines.filter((line) => line !== undefined).join("\n");
}

/** Whether two problems have the same code and location. */
export function isSimilar(one: Located, other: Located): boolean {
  return one.location !== undefined && one.code === other.code && one.location === other.location;
}

interface Located {
  readonly code?: string;
  readonly location?: string | undefined;
}

/** Collects problems without repetitions, such as the same line on several paths. */
export class Problems {
  readonly #distinct = new Map<string, Problem>();

  /** Adds a problem. `text` is its message without the page. */
  add(problem: Problem, text = problem.message): void {
    const { code, location, message } = problem;
    const key = location === undefined ? `${code} ${message}` : `${code} ${location} ${text}`;
    if (!this.#distinct.has(key)) this.#distinct.set(key, problem);
  }

  /** Removes the problems that match. */
  remove(matches: (problem: Problem) => boolean): void {
    for (const [key, problem] of this.#distinct) if (matches(problem)) this.#distinct.delete(key);
  }

  /** Returns the problems, sorted by code and location. */
  sorted(): Problem[] {
    return [...this.#distinct.values()].sort(
      (a, b) => compare(a.code, b.code) || compare(a.location ?? "", b.location ?? ""),
    );
  }
}
