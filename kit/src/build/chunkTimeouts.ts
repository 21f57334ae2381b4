import type { Compilation, Compiler, WebpackPluginInstance } from "webpack";

const NAME = "ChunkTimeouts";
// Stands for the sizes of the chunks until the minifiers have run.
const PLACEHOLDER = '"COLONNADE_CHUNK_SIZES"';
// One kilobyte at 30 kbit/s.
const MS_PER_KILOBYTE = 267;
// Smaller scripts arrive in the 8 s of the option. Every visitor loads the sizes.
const LARGE = 30_000;

/**
 * A webpack plugin that adds to `output.chunkLoadTimeout`, for each large chunk, the time in which its script arrives at
 * 30 kbit/s. A single number is too short for a large chunk, or too long for a small one that hangs.
 */
export class ChunkTimeouts implements WebpackPluginInstance {
  apply(compiler: Compiler): void {
    compiler.hooks.thisCompilation.tap(NAME, (compilation) => {
      const { chunkLoadTimeout } = compilation.outputOptions;
      // Webpack's function that loads a script contains the option as it is, and has a parameter `chunkId`.
      const timeout = `${String(chunkLoadTimeout)}+${String(MS_PER_KILOBYTE)}*(${PLACEHOLDER}[chunkId]||0)`;
      compilation.outputOptions = { ...compilation.outputOptions, chunkLoadTimeout: timeout as unknown as number };
      // After minification, and before the digests are computed.
      const stage = compiler.webpack.Compilation.PROCESS_ASSETS_STAGE_DEV_TOOLING;
      compilation.hooks.processAssets.tap({ name: NAME, stage }, () => {
        insertSizes(compiler, compilation);
      });
    });
  }
}

function insertSizes({ webpack: { sources } }: Compiler, compilation: Compilation): void {
  for (const [file, source] of Object.entries(compilation.assets)) {
    const start = file.endsWith(".js") ? String(source.source()).indexOf(PLACEHOLDER) : -1;
    if (start < 0) continue;
    const replaced = new sources.ReplaceSource(source);
    replaced.replace(start, start + PLACEHOLDER.length - 1, `{${chunkSizes(compilation).join(",")}}`);
    compilation.updateAsset(file, replaced);
  }
}

/** The properties of an object literal: the size of each large script in kilobytes, rounded up, by the ID of its chunk. */
function chunkSizes({ chunks, assets }: Compilation): string[] {
  return [...chunks].flatMap((chunk) => {
    const script = assets[[...chunk.files].find((file) => file.endsWith(".js")) ?? ""];
    if (!script || script.size() < LARGE || chunk.canBeInitial()) return [];
    return `${JSON.stringify(chunk.id)}:${String(Math.ceil(script.size() / 1_000))}`;
  });
}
