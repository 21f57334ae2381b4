import { AsyncLocalStorage } from "node:async_hooks";
import { createRequire } from "node:module";
import path from "node:path";

import type { LoaderContext, LoaderDefinitionFunction } from "webpack";

/** The folder of the section whose stylesheet is compiled. */
const sections = new AsyncLocalStorage<string>();

// The property as it was: a function, or the accessor of another copy of this module, whose
// sections only that copy knows.
const outer = Object.defineProperty({}, "cwd", Object.getOwnPropertyDescriptor(process, "cwd") ?? {}) as Pick<
  typeof process,
  "cwd"
>;

// Plugins such as Tailwind read `process.cwd()`, and one process can build several sections at the same time. An accessor, because
// graceful-fs replaces the function by one that remembers the first result, and a plugin may load it.
Object.defineProperty(process, "cwd", {
  configurable: true,
  enumerable: true,
  get: () => {
    const folder = sections.getStore();
    return folder === undefined ? outer.cwd : () => folder;
  },
  set: (replacement: typeof process.cwd) => {
    if (sections.getStore() === undefined) outer.cwd = replacement;
  },
});

/**
 * Webpack loader for the stylesheets of a section: the loader that the section's own @colonnade/cli has installed. That resolves the names of
 * plugins from its own folder, and one process can build sections with different packages. The section's folder is the working
 * directory that plugins see.
 */
export default function postcssLoader(
  this: LoaderContext<object>,
  ...args: Parameters<LoaderDefinitionFunction>
): ReturnType<LoaderDefinitionFunction> {
  const folder = this.rootContext;
  const cli = createRequire(path.join(folder, "package.json")).resolve("@colonnade/cli");
  const load = createRequire(cli)("postcss-loader") as LoaderDefinitionFunction;
  return sections.run(folder, () => load.apply(this, args));
}
