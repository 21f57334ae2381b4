import { realpathSync } from "node:fs";
import path from "node:path";

import type { Compiler, WebpackPluginInstance } from "webpack";

import { installedFolder } from "./shared.js";

const NAME = "OwnCopies";
/** Added to an import of an own copy. */
const QUERY = "?own";

/**
 * Whether a dependency of a section has a copy of a package for itself, such as one of another major version. `importer` is the
 * folder of the module that imports it.
 */
export function hasOwnCopy(folder: string, importer: string, specifier: string): boolean {
  if (!importer.includes(`${path.sep}node_modules${path.sep}`)) return false;
  try {
    const [own, ofSection] = [importer, folder].map((from) => realpathSync(installedFolder(from, specifier)));
    return own !== ofSection;
  } catch {
    // The dependency cannot import it. The build says so, or does without, as for other packages.
    return true;
  }
}

/** A webpack plugin that bundles such a copy, although the section takes the package from the shell. */
export class OwnCopies implements WebpackPluginInstance {
  constructor(
    readonly folder: string,
    readonly specifiers: readonly string[],
  ) {}

  apply(compiler: Compiler): void {
    compiler.hooks.normalModuleFactory.tap(NAME, (factory) => {
      factory.hooks.beforeResolve.tap(NAME, (data) => {
        const { request, context } = data;
        if (this.specifiers.includes(request) && hasOwnCopy(this.folder, context, request)) data.request += QUERY;
      });
    });
  }
}
