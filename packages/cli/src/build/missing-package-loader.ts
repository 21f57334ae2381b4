import type { LoaderContext } from "webpack";

/** Webpack loader for files that need a package which is not installed. */
export default function missingPackageLoader(this: LoaderContext<{ readonly name: string }>): void {
  const { name } = this.getOptions();
  this.callback(new Error(`this file needs the package ${name}; run \`npm install --save-dev ${name}\``));
}
