// Bundles the compiled `colonnade new` with the rules of paths, which are all that it needs of the kit, and copies the template
// of a section and the manifest, which has the version of the packages, next to it. `npm create` then installs no kit.
import { cpSync, rmSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";

import webpack from "webpack";

const PACKAGE = path.resolve(import.meta.dirname, "..");
const CLI = path.join(PACKAGE, "../cli");
const TARGET = path.join(PACKAGE, "dist");

rmSync(TARGET, { recursive: true, force: true });
for (const name of ["package.json", "templates"])
  cpSync(path.join(CLI, name), path.join(TARGET, name), { recursive: true });
const stats = await promisify(webpack)({
  mode: "production",
  context: PACKAGE,
  entry: path.join(CLI, "dist/cli/create.js"),
  target: "node20",
  devtool: false,
  experiments: { outputModule: true },
  // The modules find the template from their folder in the other package, which is at the same depth.
  output: { path: path.join(TARGET, "dist/cli"), filename: "create.js", library: { type: "module" }, module: true },
  module: {
    parser: { javascript: { importMeta: false } },
    // Only what `colonnade new` uses of a module.
    rules: [{ test: /\.js$/, sideEffects: false }],
  },
  externals: /^(@commander-js\/extra-typings|commander)$/,
  optimization: { minimize: false },
});
if (stats?.hasErrors()) {
  console.error(stats.toString({ all: false, errors: true }));
  process.exitCode = 1;
}
