import type { Compiler } from "webpack";

const NAME = "NonzeroChunkIds";

/**
 * Keeps webpack from assigning the chunk ID 0. `webpack-subresource-integrity` treats it as missing and omits the digest of
 * the chunk, so that browsers report an invalid `integrity` attribute.
 */
export class NonzeroChunkIds {
  apply(compiler: Compiler): void {
    compiler.hooks.compilation.tap(NAME, (compilation) => {
      compilation.hooks.beforeChunkIds.tap(NAME, () => {
        compilation.usedChunkIds = new Set([...(compilation.usedChunkIds ?? []), 0]);
      });
    });
  }
}
