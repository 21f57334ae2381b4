import path from "node:path";

import { expect, test } from "vitest";
import webpack, { type Chunk, type WebpackPluginInstance } from "webpack";

import { temporaryFolder, writeFiles } from "../../fixtures/temporary.js";
import { NonzeroChunkIds } from "./chunkIds.js";

// Webpack's hash of this name is 0.
const LAZY = "./lazy926.js";

/** The ID of a chunk that webpack assigns the ID 0 if no plugin prevents it. */
async function chunkId(...plugins: WebpackPluginInstance[]): Promise<Chunk["id"] | undefined> {
  const context = await temporaryFolder();
  await writeFiles(context, { "index.js": `import("${LAZY}");\n`, [LAZY]: "export const a = 1;\n" });
  const output = { path: path.join(context, "output") };
  const compiler = webpack({ context, entry: "./index.js", output, plugins, mode: "production", target: "web" });
  return new Promise((resolve, reject) => {
    compiler.run((error, stats) => {
      const chunks = [...(stats?.compilation.chunks ?? [])];
      const lazy = chunks.find((chunk) => !chunk.canBeInitial());
      if (error) reject(error);
      else resolve(lazy?.id);
    });
  });
}

test("a chunk never has the ID 0", async () => {
  expect(await chunkId()).toBe(0);
  expect(await chunkId(new NonzeroChunkIds())).toBeGreaterThan(0);
});
