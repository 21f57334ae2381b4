import { realpath } from "node:fs/promises";
import path from "node:path";

import { expect, test } from "vitest";

import { temporaryFolder, writeFiles } from "../../fixtures/temporary.js";
import { rules } from "./rules.js";

test("a section's PostCSS plugins resolve from its own folder", async () => {
  const folder = await realpath(await temporaryFolder());
  const manifest = (name: string): string => JSON.stringify({ name, exports: "./index.js" });
  await writeFiles(folder, {
    "package.json": "{}",
    "postcss.config.json": "{}",
    "node_modules/@colonnade/kit/package.json": manifest("@colonnade/kit"),
    "node_modules/@colonnade/kit/index.js": "",
    "node_modules/postcss-loader/package.json": manifest("postcss-loader"),
    "node_modules/postcss-loader/index.js": "",
  });
  const context = {
    folder,
    output: path.join(folder, "release"),
    config: { name: "hello", entry: "./src/section.ts" },
    identity: { version: "1.0.0", container: "hello", inputs: "" },
    installed: {},
    mode: { final: false },
  };
  expect(JSON.stringify(rules(context, "client"))).toContain(
    JSON.stringify(path.join(folder, "node_modules/postcss-loader/index.js")),
  );
});
