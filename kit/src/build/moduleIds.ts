import type { Compiler, Module } from "webpack";

const NAME = "PortableModuleIds";

/**
 * The part of a module's name that is the same on every machine, where webpack would take the whole name:
 * that of a module made by Module Federation holds absolute paths.
 */
function portableName(module: Module, context: string): string | undefined {
  if (module.identifier().startsWith("javascript/esm|data:")) return "runtime";
  const name = module.libIdent({ context });
  return name?.startsWith("webpack/") ? name : undefined;
}

/**
 * Numbers the modules that Module Federation makes by {@link portableName}. Webpack then numbers all others, by
 * names relative to the package: one set of inputs makes one release, wherever it is built.
 */
export class PortableModuleIds {
  apply(compiler: Compiler): void {
    compiler.hooks.compilation.tap(NAME, (compilation) => {
      compilation.hooks.moduleIds.tap(NAME, (modules) => {
        const named = new Map<string, Module>();
        for (const module of modules) {
          const name = portableName(module, compiler.context);
          if (name !== undefined && compilation.chunkGraph.getNumberOfModuleChunks(module) > 0) named.set(name, module);
        }
        const sorted = [...named].sort(([a], [b]) => (a < b ? -1 : 1));
        for (const [index, [, module]] of sorted.entries())
          compilation.chunkGraph.setModuleId(module, `f${String(index)}`);
      });
    });
  }
}
