import { BuildError } from "../build/usageError.js";
import { PROBLEM_KINDS, type ProblemCode } from "./codes.js";

/** A violation of the section contract that `section check` found. */
export interface Problem {
  readonly code: ProblemCode;
  /** What happened, and on which page. */
  readonly message: string;
  /** What to do instead. */
  readonly help: string;
  /** `src/pages/lab.tsx:12:8`, relative to the package; undefined if unknown. */
  readonly location: string | undefined;
}

/** Creates a problem with the help text of its code. `advice` replaces that text. */
export function problemOf(
  code: ProblemCode,
  message: string,
  location: string | undefined,
  advice: string = PROBLEM_KINDS[code].help,
): Problem {
  return { code, message, help: advice, location };
}

/** Thrown if a section does not pass its check. The message lists all problems. */
export class CheckError extends BuildError {
  constructor(
    readonly section: string,
    readonly problems: readonly Problem[],
  ) {
    super(describe(section, problems));
  }
}

function describe(section: string, problems: readonly Problem[]): string {
  const count = problems.length === 1 ? "1 problem" : `${String(problems.length)} problems`;
  const texts = problems.map(({ code, message, help, location }) =>
    [`${code} ${message}`, ...(location === undefined ? [] : [`  at ${location}`]), `  ${help}`].join("\n"),
  );
  return [`${section} breaks the rules for sections: ${count}`, ...texts].join("\n\n");
}

/** Sorts problems by code and location, and removes repetitions, such as the same line on several paths. */
export function distinctProblems(problems: readonly Problem[]): Problem[] {
  const distinct = new Map<string, Problem>();
  for (const problem of problems) {
    const key = `${problem.code} ${problem.location ?? problem.message}`;
    if (!distinct.has(key)) distinct.set(key, problem);
  }
  return [...distinct.values()].sort((one, other) =>
    one.code === other.code ? compare(one.location ?? "", other.location ?? "") : compare(one.code, other.code),
  );
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
