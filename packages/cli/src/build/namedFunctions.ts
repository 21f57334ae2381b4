import type { Compiler, WebpackPluginInstance } from "webpack";

const NAME = "NamedFunctions";
// The name of webpack's code that takes shared packages.
const CONSUMES = "consumes";
const RECURSIVE = /^var (rangeToString|satisfy) = (\(.*?\)) => /gm;

/**
 * A webpack plugin that gives functions of Module Federation's runtime code that call themselves a name of their own. The native
 * minifier keeps a variable that its own function uses, and removes a function that nothing else uses. Shared packages have no
 * version ranges in a container, so nothing else does.
 */
export class NamedFunctions implements WebpackPluginInstance {
  apply(compiler: Compiler): void {
    compiler.hooks.thisCompilation.tap(NAME, (compilation) => {
      compilation.hooks.runtimeModule.tap(NAME, (module) => {
        if (module.name !== CONSUMES) return;
        const generate = module.generate.bind(module);
        module.generate = () => generate()?.replace(RECURSIVE, "var $1 = function $1$2 ") ?? null;
      });
    });
  }
}
