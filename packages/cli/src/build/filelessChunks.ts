import type { Chunk, Compilation, Compiler } from "webpack";

const NAME = "FilelessChunks";

/**
 * A webpack plugin for chunks without a script. Those of shared packages alone have no file: the shell
 * provides these packages. If another chunk of the same page can name the packages, as for what remains
 * of a page whose code another page shares, the chunk is removed. A direct `import("package")` keeps its
 * chunk. Neither such a chunk nor one of a stylesheet, which the shell loads, has a digest.
 */
export class FilelessChunks {
  apply(compiler: Compiler): void {
    compiler.hooks.thisCompilation.tap(NAME, (compilation) => {
      // After the plugin that splits chunks.
      const stage = compiler.webpack.OptimizationStages.STAGE_ADVANCED + 1;
      compilation.hooks.optimizeChunks.tap({ name: NAME, stage }, () => {
        for (const chunk of compilation.chunks) if (isFileless(compilation, chunk)) remove(compilation, chunk);
      });
      // After minification, and before `webpack-subresource-integrity` replaces the placeholders.
      const { PROCESS_ASSETS_STAGE_DEV_TOOLING } = compiler.webpack.Compilation;
      compilation.hooks.processAssets.tap({ name: NAME, stage: PROCESS_ASSETS_STAGE_DEV_TOOLING }, () => {
        removeDigests(compiler, compilation);
      });
    });
  }
}

/** Removes the digests of chunks without a script. */
function removeDigests({ webpack: { sources } }: Compiler, compilation: Compilation): void {
  const withoutScript = [...compilation.chunks].filter(({ files }) => ![...files].some((file) => file.endsWith(".js")));
  if (withoutScript.length === 0) return;
  const ids = withoutScript.map(({ id }) => String(id)).join("|");
  const digests = new RegExp(`(?<=[{,])"?(?:${ids})"?:"[^"]*CHUNK-SRI-HASH-[^"]*",?`, "g");
  for (const [file, source] of Object.entries(compilation.assets)) {
    if (!file.endsWith(".js")) continue;
    const replaced = new sources.ReplaceSource(source);
    for (const { index, 0: digest } of String(source.source()).matchAll(digests))
      replaced.replace(index, index + digest.length - 1, "");
    compilation.updateAsset(file, replaced);
  }
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
