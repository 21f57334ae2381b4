import type { Chunk, Compilation, Compiler } from "webpack";

const NAME = "FilelessChunks";

/**
 * A webpack plugin that removes chunks of shared packages alone, such as what remains of a page
 * whose code another page shares. The shell provides these packages, so the chunks have no file to
 * load and no digest. Another chunk of the same page names the packages instead.
 */
export class FilelessChunks {
  apply(compiler: Compiler): void {
    compiler.hooks.thisCompilation.tap(NAME, (compilation) => {
      // After the plugin that splits chunks.
      const stage = compiler.webpack.OptimizationStages.STAGE_ADVANCED + 1;
      compilation.hooks.optimizeChunks.tap({ name: NAME, stage }, () => {
        for (const chunk of compilation.chunks) if (isFileless(compilation, chunk)) remove(compilation, chunk);
      });
    });
  }
}

function isFileless({ chunkGraph }: Compilation, chunk: Chunk): boolean {
  const modules = [...chunkGraph.getChunkModulesIterable(chunk)];
  return modules.length > 0 && modules.every(({ type }) => type === "consume-shared-module");
}

function remove(compilation: Compilation, chunk: Chunk): void {
  const { chunkGraph } = compilation;
  const siblings = [...chunk.groupsIterable].map((group) =>
    group.chunks.find((other) => other !== chunk && !isFileless(compilation, other)),
  );
  for (const sibling of siblings) {
    if (!sibling) return;
    for (const module of chunkGraph.getChunkModulesIterable(chunk)) chunkGraph.connectChunkAndModule(sibling, module);
  }
  chunkGraph.disconnectChunk(chunk);
  compilation.chunks.delete(chunk);
}
