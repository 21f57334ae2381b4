import type { Chunk, Compilation, Compiler, RuntimeModule } from "webpack";

const NAME = "FilelessChunks";

/**
 * A webpack plugin for chunks of shared packages alone. The shell provides these packages, so the
 * chunks have no file to load and no digest. If another chunk of the same page can name the packages,
 * as for what remains of a page whose code another page shares, the chunk is removed. A direct
 * `import("package")` keeps its chunk, without a digest.
 */
export class FilelessChunks {
  apply(compiler: Compiler): void {
    compiler.hooks.thisCompilation.tap(NAME, (compilation) => {
      // After the plugin that splits chunks.
      const stage = compiler.webpack.OptimizationStages.STAGE_ADVANCED + 1;
      compilation.hooks.optimizeChunks.tap({ name: NAME, stage }, () => {
        for (const chunk of compilation.chunks) if (isFileless(compilation, chunk)) remove(compilation, chunk);
      });
      compilation.hooks.runtimeModule.tap(NAME, ({ sriHashes = {} }: RuntimeModule & Digests) => {
        for (const chunk of compilation.chunks)
          if (isFileless(compilation, chunk)) Reflect.deleteProperty(sriHashes, String(chunk.id));
      });
    });
  }
}

/** What the module of `webpack-subresource-integrity` has: digests by the IDs of chunks. */
interface Digests {
  readonly sriHashes?: Record<string, string>;
}

function isFileless({ chunkGraph }: Compilation, chunk: Chunk): boolean {
  const modules = [...chunkGraph.getChunkModulesIterable(chunk)];
  return modules.length > 0 && modules.every(({ type }) => type === "consume-shared-module");
}

/** Removes a chunk from the groups that have another one, which gets its modules. */
function remove(compilation: Compilation, chunk: Chunk): void {
  const { chunkGraph } = compilation;
  for (const group of [...chunk.groupsIterable]) {
    const sibling = group.chunks.find((other) => other !== chunk && !isFileless(compilation, other));
    if (!sibling) continue;
    for (const module of chunkGraph.getChunkModulesIterable(chunk)) chunkGraph.connectChunkAndModule(sibling, module);
    group.removeChunk(chunk);
    chunk.removeGroup(group);
  }
  if (chunk.getNumberOfGroups() > 0) return;
  chunkGraph.disconnectChunk(chunk);
  compilation.chunks.delete(chunk);
}
