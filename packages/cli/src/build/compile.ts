import webpack, { type Compilation, type Configuration } from "webpack";

import { parsePosition } from "../check/positions.js";
import { compileProblems } from "./compileProblems.js";
import type { BuildContext } from "./context.js";
import { formatProblem, withFrame, type SectionProblem } from "./formatProblem.js";
import { BuildError } from "./usageError.js";

/**
 * Runs webpack once.
 *
 * @throws BuildError with all errors that webpack reports. Warnings are printed to stderr.
 */
export async function compile(
  configuration: Configuration,
  { folder, config }: Pick<BuildContext, "folder" | "config">,
): Promise<Compilation> {
  const compiler = webpack(configuration);
  const stats = await new Promise<webpack.Stats>((resolve, reject) => {
    compiler.run((error, result) => {
      compiler.close((closing) => {
        const problem = error ?? closing;
        if (problem) reject(problem);
        else if (result) resolve(result);
      });
    });
  });
  if (stats.hasErrors()) throw await errorOf(folder, config.name, stats.compilation);
  if (stats.hasWarnings()) process.stderr.write(`${stats.toString({ all: false, warnings: true, colors: false })}\n`);
  return stats.compilation;
}

/** The errors of a package's compilation. */
class CompileError extends BuildError {
  constructor(
    readonly section: string,
    readonly problems: readonly SectionProblem[],
  ) {
    const count = problems.length === 1 ? "1 problem" : `${String(problems.length)} problems`;
    const texts = problems.map((problem) => formatProblem(problem));
    super([`${section} does not compile: ${count}`, ...texts].join("\n\n"));
  }
}

async function errorOf(folder: string, section: string, compilation: Compilation): Promise<CompileError> {
  const problems = compileProblems(folder, compilation).map((problem) => withFrame(folder, { ...problem, section }));
  return new CompileError(section, await Promise.all(problems));
}

/** Combines the errors of two compilations of one package. Problems of both have the position of the first. */
export function combineErrors(first: unknown, second: unknown): unknown {
  if (!(first instanceof CompileError && second instanceof CompileError)) return first;
  const keys = new Set(first.problems.map(keyOf));
  const others = second.problems.filter((problem) => !keys.has(keyOf(problem)));
  return new CompileError(first.section, [...first.problems, ...others]);
}

function keyOf({ location, message }: SectionProblem): string {
  return `${parsePosition(location)?.file ?? location ?? ""} ${message}`;
}
