import type { Chunk, Compilation, Compiler, Module } from "webpack";

type ChunkGroup = Compilation["chunkGroups"][number];

const NAME = "SharedStyles";
/** Type of the modules that contain the text of stylesheets. */
export const STYLE = "css/mini-extract";

/**
 * A webpack plugin that emits each stylesheet once, however many pages import it. Stylesheets that
 * follow each other on every page that imports one of them are one file, so the files of a page
 * keep the order of its imports.
 */
export class SharedStyles {
  apply(compiler: Compiler): void {
    compiler.hooks.thisCompilation.tap(NAME, (compilation) => {
      compilation.hooks.optimizeChunks.tap(NAME, () => {
        split(compilation);
      });
    });
  }
}

/** The stylesheets of a chunk group in the order of the imports, and the chunks that contain them. */
function stylesOf({ chunkGraph }: Compilation, group: ChunkGroup): Module[] {
  const styles = group.chunks.flatMap((chunk) => [
    ...(chunkGraph.getChunkModulesIterableBySourceType(chunk, STYLE) ?? []),
  ]);
  const positionOf = (style: Module): number => group.getModulePostOrderIndex(style) ?? 0;
  return [...new Set(styles)].sort((a, b) => positionOf(a) - positionOf(b));
}

/** Maps each stylesheet to its neighbors of one side in the lists; `undefined` at the end of a list. */
function neighbors(lists: readonly Module[][], side: -1 | 1): Map<Module, Set<Module | undefined>> {
  const found = new Map<Module, Set<Module | undefined>>();
  for (const list of lists)
    for (const [index, style] of list.entries())
      found.set(style, (found.get(style) ?? new Set()).add(list[index + side]));
  return found;
}

/** Groups the stylesheets of the lists into files: the longest sequences that all lists share. */
function filesIn(lists: readonly Module[][]): Module[][] {
  const before = neighbors(lists, -1);
  const after = neighbors(lists, 1);
  const files = new Map<Module, Module[]>();
  for (const style of lists.flat()) {
    if (files.has(style)) continue;
    const [previous, ...others] = before.get(style) ?? [];
    const continues = previous !== undefined && others.length === 0 && after.get(previous)?.size === 1;
    const file = (continues ? files.get(previous) : undefined) ?? [];
    file.push(style);
    files.set(style, file);
  }
  return [...new Set(files.values())];
}

function split(compilation: Compilation): void {
  const { chunkGraph } = compilation;
  const chunksOf = (style: Module): Chunk[] => [...chunkGraph.getModuleChunksIterable(style)];
  const lists = compilation.chunkGroups.map((group) => stylesOf(compilation, group));
  // A chunk has one stylesheet file. One of a page's own files stays in its chunk.
  const occupied = new Set<Chunk>();
  for (const file of filesIn(lists)) {
    const chunks = file[0] ? chunksOf(file[0]) : [];
    const [own] = chunks;
    if (own && chunks.length === 1 && !occupied.has(own)) {
      occupied.add(own);
      continue;
    }
    const shared = compilation.addChunk();
    for (const chunk of chunks) {
      chunk.split(shared);
      for (const style of file) chunkGraph.disconnectChunkAndModule(chunk, style);
    }
    for (const style of file) chunkGraph.connectChunkAndModule(shared, style);
  }
}
