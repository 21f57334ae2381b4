import type { Compilation, Compiler, WebpackPluginInstance } from "webpack";

const NAME = "ChunkTimeouts";
// Stands for the sizes of the chunks until the minifiers have run. They rename no global variable.
const PLACEHOLDER = "COLONNADE_CHUNK_SIZES";
const PLACEHOLDERS = new RegExp(PLACEHOLDER, "g");
// One kilobyte at 30 kbit/s.
const MS_PER_KILOBYTE = 267;
// Smaller scripts count as if they had this size. Every visitor loads the sizes of the others.
const LARGE_KILOBYTES = 30;

/** The smallest number of milliseconds that a script may take to load. */
export const SCRIPT_TIMEOUT = 8_000;

/** How long a script of this size may take to load, in milliseconds. */
export function scriptTimeout(bytes: number): number {
  return SCRIPT_TIMEOUT + MS_PER_KILOBYTE * Math.max(LARGE_KILOBYTES, Math.ceil(bytes / 1_000));
}

/**
 * A webpack plugin that adds to `output.chunkLoadTimeout`, for each chunk, the time in which its
 * script arrives at 30 kbit/s. A single number is too short for a large chunk, or too long for a
 * small one that hangs.
 */
export class ChunkTimeouts implements WebpackPluginInstance {
  apply(compiler: Compiler): void {
    compiler.hooks.thisCompilation.tap(NAME, (compilation) => {
      const { chunkLoadTimeout } = compilation.outputOptions;
      // Webpack's function that loads a script contains the option as it is, and has a parameter
      // `chunkId`.
      const kilobytes = `(${PLACEHOLDER}[chunkId]||${String(LARGE_KILOBYTES)})`;
      const timeout = `${String(chunkLoadTimeout)}+${String(MS_PER_KILOBYTE)}*${kilobytes}`;
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
    const found = file.endsWith(".js") ? [...String(source.source()).matchAll(PLACEHOLDERS)] : [];
    if (found.length === 0) continue;
    const replaced = new sources.ReplaceSource(source);
    const sizes = `{${chunkSizes(compilation).join(",")}}`;
    for (const { index } of found) replaced.replace(index, index + PLACEHOLDER.length - 1, sizes);
    compilation.updateAsset(file, replaced);
  }
}

/**
 * The properties of an object literal: the size of each large script in kilobytes, rounded up, by
 * the ID of its chunk.
 */
function chunkSizes({ chunks, assets }: Compilation): string[] {
  return [...chunks].flatMap((chunk) => {
    const script = assets[[...chunk.files].find((file) => file.endsWith(".js")) ?? ""];
    if (!script || script.size() < LARGE_KILOBYTES * 1_000 || chunk.canBeInitial()) return [];
    return `${JSON.stringify(chunk.id)}:${String(Math.ceil(script.size() / 1_000))}`;
  });
}
