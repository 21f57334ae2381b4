import { readFile } from "node:fs/promises";
import path from "node:path";
import { pathToFileURL } from "node:url";

import { expect, test } from "vitest";

import { temporaryFolder, writeFiles } from "../../fixtures/temporary.js";
import type { BuildContext } from "./context.js";
import { moveSourceMaps } from "./sourceMaps.js";
import { inputsBelow } from "./version.js";

const SOURCES = {
  "./src/page.tsx": "the page",
  "../design/button.tsx": "a button",
  "../../node_modules/.pnpm/zod@4/node_modules/zod/index.js": "a package",
  "webpack/bootstrap": "code of webpack",
};
const PLAIN = { version: 3, sources: Object.keys(SOURCES), sourcesContent: Object.values(SOURCES), mappings: "" };
const MAP = JSON.stringify(PLAIN);

/** Moves the source maps of a release of two scripts and a stylesheet. Returns the files of the release. */
async function moved(
  changes: Partial<BuildContext>,
  mapIn: string | ((folder: string) => object) = MAP,
): Promise<ReadonlyMap<string, string>> {
  const folder = await temporaryFolder();
  const map = typeof mapIn === "string" ? mapIn : JSON.stringify(mapIn(folder));
  const output = path.join(folder, "release");
  await writeFiles(output, {
    "client/a.js": "",
    "client/a.js.map": map,
    "client/a.css.map": map,
    "client/b.mjs.map": map,
    "server/index.js": "",
    "server/index.js.map": map,
  });
  const written = changes.written && { ...changes.written, folder: path.join(folder, "dist") };
  const context: Partial<BuildContext> = { folder, output, config: { name: "hello", entry: "" }, ...changes, written };
  await moveSourceMaps(context as BuildContext);
  const files = await inputsBelow(output, new Set());
  return new Map(
    await Promise.all(files.map(async (file) => [file, await readFile(path.join(output, file), "utf8")] as const)),
  );
}

test("source maps of scripts are below server/, the same on each machine", async () => {
  const files = await moved({});
  expect([...files.keys()]).toEqual([
    "client/a.js",
    "server/index.js",
    "server/maps/client/a.js.map",
    "server/maps/client/b.mjs.map",
    "server/maps/server/index.js.map",
  ]);
  const map: unknown = JSON.parse(files.get("server/maps/client/a.js.map") ?? "");
  expect(map).toMatchObject({
    sources: ["src/page.tsx", "../design/button.tsx", "node_modules/zod/index.js", "webpack/bootstrap"],
    sourcesContent: ["the page", "a button", null, null],
  });
});

test("paths of a build command are relative to its files", async () => {
  const files = await moved({ written: {} as NonNullable<BuildContext["written"]> });
  const map: unknown = JSON.parse(files.get("server/maps/client/a.js.map") ?? "");
  expect(map).toMatchObject({
    sources: [
      "dist/client/src/page.tsx",
      "dist/design/button.tsx",
      "node_modules/zod/index.js",
      "dist/client/webpack/bootstrap",
    ],
  });
});

test.each([
  ["of files", "", (folder: string) => String(pathToFileURL(path.join(folder, "a b")))],
  ["of webpack", "", () => "webpack://hello/./a b"],
  ["of webpack for a name with a scope", "", () => "webpack://@acme/hello/./a b"],
  ["below a root", "webpack://hello", () => "a b"],
  ["of files below a root", "/elsewhere", (folder: string) => path.join(folder, "a b")],
])("source maps with URLs %s are the same on each machine", async (_, sourceRoot, folderOf) => {
  const files = await moved({ written: {} as NonNullable<BuildContext["written"]> }, (folder) => ({
    ...PLAIN,
    sourceRoot,
    sources: ["src/page.tsx", "node_modules/zod/index.js"].map((file) => `${folderOf(folder)}/${file}`),
    sourcesContent: ["the page", "a package"],
  }));
  expect(JSON.parse(files.get("server/maps/client/a.js.map") ?? "")).toEqual({
    version: 3,
    sources: ["a b/src/page.tsx", "node_modules/zod/index.js"],
    sourcesContent: ["the page", null],
    mappings: "",
  });
});

test("source maps keep URLs that name no file of this machine", async () => {
  const sources = ["file://host/x.ts", "file:///a%2Fb.ts", "https://cdn.example/x.ts"];
  const files = await moved({}, JSON.stringify({ ...PLAIN, sources }));
  expect(JSON.parse(files.get("server/maps/client/a.js.map") ?? "")).toMatchObject({ sources });
});

test("the sections of an index map are the same on each machine", async () => {
  const section = { offset: { line: 1, column: 0 }, map: PLAIN };
  const files = await moved({}, JSON.stringify({ version: 3, sections: [section] }));
  expect(JSON.parse(files.get("server/maps/client/a.js.map") ?? "")).toMatchObject({
    sections: [
      { offset: section.offset, map: { sources: expect.arrayContaining(["node_modules/zod/index.js"]) as unknown } },
    ],
  });
});

test("sourceMaps: false leaves them out", async () => {
  const files = await moved({ config: { name: "hello", entry: "", sourceMaps: false } });
  expect([...files.keys()]).toEqual(["client/a.js", "server/index.js"]);
});

test.each([
  "text",
  "null",
  '{ "sources": [] }',
  '{ "mappings": "" }',
  '{ "mappings": "", "sources": [7] }',
  '{ "sections": [{ "url": "a" }] }',
])("%s is rejected as a source map", async (text) => {
  await expect(moved({}, text)).rejects.toThrow(
    'a.js.map is not a source map; expected JSON with the list "sources" and the string "mappings"',
  );
});
