import webpack, { type Compilation, type Configuration } from "webpack";

import { compileProblems } from "./compileProblems.js";
import type { BuildContext } from "./context.js";
import { formatProblem, withFrame } from "./formatProblem.js";
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

async function errorOf(folder: string, section: string, compilation: Compilation): Promise<BuildError> {
  const problems = compileProblems(folder, compilation).map((problem) => withFrame(folder, { ...problem, section }));
  const count = problems.length === 1 ? "1 problem" : `${String(problems.length)} problems`;
  const texts = (await Promise.all(problems)).map((problem) => formatProblem(problem));
  return new BuildError([`${section} does not compile: ${count}`, ...texts].join("\n\n"));
}
