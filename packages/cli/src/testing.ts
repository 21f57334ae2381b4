import { execFile } from "node:child_process";
import path from "node:path";

const COMMAND = path.resolve(import.meta.dirname, "../bin/colonnade.js");

/** A violation of a rule, as `colonnade check --json` prints it. */
export interface FoundProblem {
  /** The code that docs/errors.md explains. */
  readonly code: string;
  /** An error fails the build, a warning does not. */
  readonly severity: "error" | "warning";
  /** What happened, and on which page. */
  readonly message: string;
  /** What to do instead. */
  readonly help: string;
  /** `src/pages/home.tsx:12:8`, if it is known. */
  readonly location?: string;
}

/**
 * Runs `colonnade check` on the section in a folder, by default that of the test run. Returns the errors that it finds. The
 * check compiles the section, so it takes seconds: give the test a timeout.
 *
 * @throws Error if the section does not compile.
 */
export async function checkSection(folder: string = process.cwd()): Promise<FoundProblem[]> {
  // A process of its own has the globals of Node.js, and not those of the test environment.
  const env = { ...process.env, NODE_ENV: undefined };
  const { out, err } = await new Promise<{ out: string; err: string }>((resolve) => {
    const options = { cwd: folder, env, maxBuffer: Infinity };
    execFile(process.execPath, [COMMAND, "check", "--json"], options, (_failure, out, err) => {
      resolve({ out, err });
    });
  });
  if (out === "") throw new Error(err.trim());
  const { problems } = JSON.parse(out) as { readonly problems: readonly FoundProblem[] };
  return problems.filter(({ severity }) => severity === "error");
}
