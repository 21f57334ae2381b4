import webpack, { type Compilation, type Configuration } from "webpack";

import { BuildError } from "./usageError.js";

/**
 * Runs webpack once.
 *
 * @throws BuildError with all errors that webpack reports. Warnings are printed to stderr.
 */
export async function compile(configuration: Configuration): Promise<Compilation> {
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
  if (stats.hasErrors())
    throw new BuildError(stats.toString({ all: false, errors: true, errorDetails: true, colors: false }));
  if (stats.hasWarnings()) process.stderr.write(`${stats.toString({ all: false, warnings: true, colors: false })}\n`);
  return stats.compilation;
}
