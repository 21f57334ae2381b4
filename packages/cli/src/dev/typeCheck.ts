import { fork, type ChildProcess } from "node:child_process";
import { existsSync } from "node:fs";
import { stat } from "node:fs/promises";
import path from "node:path";
import { createInterface } from "node:readline";

import { findCompiler } from "../build/compiler.js";
import { withFrame } from "../build/formatProblem.js";
import { parsePosition } from "../check/positions.js";
import type { DevelopmentProblem } from "./problem.js";

const ERROR = /^(.+)\((\d+),(\d+)\): error (TS\d+): (.*)$/;
// The compiler prints these lines before and after each pass that a change causes.
const STARTED = "File change detected. Starting incremental compilation";
const DONE = /Found \d+ errors?\. Watching for file changes\./;
// The channel to the parent closes even if the parent is killed.
const END_WITH_PARENT = 'data:text/javascript,process.on("disconnect", () => process.exit())';

/** Checks the types of a section in a child process, with the section's TypeScript. */
export class TypeCheck {
  readonly #child: ChildProcess | undefined;
  problems: readonly DevelopmentProblem[] = [];

  /** `onDone` is called after each pass. Without TypeScript or tsconfig.json, nothing is checked. */
  constructor(folder: string, section: string, onDone: () => void) {
    const compiler = findCompiler(folder);
    if (compiler === undefined || !existsSync(path.join(folder, "tsconfig.json"))) return;
    this.#child = fork(compiler, ["--noEmit", "--watch", "--preserveWatchOutput", "--pretty", "false"], {
      cwd: folder,
      execArgv: ["--import", END_WITH_PARENT],
      stdio: ["ignore", "pipe", "ignore", "ipc"],
    });
    const { stdout } = this.#child;
    let found: DevelopmentProblem[] = [];
    // In milliseconds. The compiler reads the files of the first pass after it starts to watch them.
    let startedAt = Infinity;
    let published = Promise.resolve();
    if (!stdout) return;
    createInterface(stdout).on("line", (line) => {
      const [, file = "", row, column, code = "", message = ""] = ERROR.exec(line) ?? [];
      if (code !== "") {
        const location = `${file}:${String(row)}:${String(column)}`;
        found.push({ kind: "type", section, message: `${code}: ${message}`, location });
      } else if (line.includes(STARTED)) {
        startedAt = Date.now();
      } else if (DONE.test(line)) {
        const pass = found;
        found = [];
        const current = currentProblems(folder, pass, startedAt);
        // A pass with many files can take longer than the next one.
        published = published.then(async () => {
          this.problems = await current;
          onDone();
        });
      } else if (line.startsWith("  ")) {
        // Further lines of a message.
        const last = found.pop();
        if (last) found.push({ ...last, message: `${last.message}\n${line}` });
      }
    });
  }

  close(): void {
    this.#child?.kill();
  }
}

/** Returns the problems in files that did not change since a pass started. The next pass finds the others. */
async function currentProblems(
  folder: string,
  problems: readonly DevelopmentProblem[],
  startedAt: number,
): Promise<DevelopmentProblem[]> {
  const current = await Promise.all(
    problems.map(async (problem) => {
      const file = path.join(folder, parsePosition(problem.location)?.file ?? "");
      const changedAt = await stat(file).then(
        ({ mtimeMs }) => mtimeMs,
        () => Infinity,
      );
      return changedAt > startedAt ? [] : [await withFrame(folder, problem)];
    }),
  );
  return current.flat();
}
