import { readFile } from "node:fs/promises";
import path from "node:path";

import { expect, test } from "vitest";
import type { Compiler } from "webpack";

import { temporaryFolder, writeFiles } from "../../fixtures/temporary.js";
import { ChunkTimeouts } from "./chunkTimeouts.js";
import { compile } from "./compile.js";

const FILES = {
  "index.js": 'import("./small.js"); import("./large.js");\n',
  "small.js": "export const small = 1;\n",
  "large.js": `export const large = "${"a".repeat(49_000)}";\n`,
};

/** A minifier that writes each string with the other quotes. */
function changeQuotes({ hooks, webpack: { sources, Compilation } }: Compiler): void {
  const tap = { name: "changeQuotes", stage: Compilation.PROCESS_ASSETS_STAGE_OPTIMIZE_SIZE };
  hooks.compilation.tap(tap, (compilation) => {
    compilation.hooks.processAssets.tap(tap, (assets) => {
      for (const [file, source] of Object.entries(assets))
        compilation.updateAsset(file, new sources.RawSource(String(source.source()).replaceAll('"', "'")));
    });
  });
}

test("a minifier may change quotes, and the runtime still has the sizes of the large chunks", async () => {
  const folder = await temporaryFolder();
  await writeFiles(folder, FILES);
  const output = { path: path.join(folder, "output"), filename: "main.js", chunkLoadTimeout: 8_000 };
  const plugins = [new ChunkTimeouts(), changeQuotes];
  const optimization = { minimize: false, chunkIds: "natural" } as const;
  await compile(
    { context: folder, entry: "./index.js", output, plugins, optimization, mode: "production", target: "web" },
    { folder, config: { name: "example", entry: "./index.js" } },
  );
  const runtime = await readFile(path.join(output.path, "main.js"), "utf8");
  expect(/, (8000.*)\);/.exec(runtime)?.[1]).toMatch(/^8000\+267\*\(\{\d:\d\d\}\[chunkId\]\|\|30\)$/);
});
