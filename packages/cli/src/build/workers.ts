import path from "node:path";

import type { Chunk, Compilation, Compiler, Module, NormalModule, WebpackPluginInstance } from "webpack";

const NAME = "WorkerImports";

/** A shared package in a section. */
interface SharedModule extends Module {
  readonly options: { readonly shareKey: string };
}

/** A webpack plugin that rejects web workers that import a shared package, because only the page has shared packages. */
export class WorkerImports implements WebpackPluginInstance {
  apply(compiler: Compiler): void {
    compiler.hooks.thisCompilation.tap(NAME, (compilation) => {
      compilation.hooks.afterOptimizeChunks.tap(NAME, () => {
        const groups = compilation.asyncEntrypoints.flatMap((entrypoint) => [entrypoint, ...entrypoint.getChildren()]);
        for (const chunk of new Set(groups.flatMap((group) => group.chunks)))
          for (const module of compilation.chunkGraph.getChunkModulesIterable(chunk))
            if (module.type === "consume-shared-module")
              compilation.errors.push(
                new compiler.webpack.WebpackError(describe(compilation, chunk, module as SharedModule)),
              );
      });
    });
  }
}

function describe({ compiler, chunkGraph, moduleGraph }: Compilation, chunk: Chunk, module: SharedModule): string {
  const origins = [...moduleGraph.getIncomingConnections(module)].map(({ originModule }) => originModule);
  const importer = origins.find((origin) => origin && chunkGraph.isModuleInChunk(origin, chunk)) as NormalModule;
  const file = path.relative(compiler.context, importer.resource);
  return `${file} runs in a web worker and imports ${module.options.shareKey}, which only the page has; move what the worker needs to a module without this import`;
}
