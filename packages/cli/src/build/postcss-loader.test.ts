import { realpath } from "node:fs/promises";
import path from "node:path";

import { expect, test } from "vitest";

import { temporaryFolder, writeFiles } from "../../fixtures/temporary.js";
import postcssLoader from "./postcss-loader.js";

/** Creates a section whose kit has a loader that returns its own path and the working directory before and after a pause. */
async function section(): Promise<string> {
  const folder = await realpath(await temporaryFolder());
  const manifest = (name: string): string => JSON.stringify({ name, exports: "./index.js" });
  await writeFiles(folder, {
    "package.json": "{}",
    "node_modules/@colonnade/cli/package.json": manifest("@colonnade/cli"),
    "node_modules/@colonnade/cli/index.js": "",
    "node_modules/postcss-loader/package.json": manifest("postcss-loader"),
    "node_modules/postcss-loader/index.js": `module.exports = async () => {
  const before = process.cwd();
  // As graceful-fs does.
  process.cwd = () => before;
  await new Promise(setImmediate);
  return [__filename, before, process.cwd()];
};`,
  });
  return folder;
}

/** Another copy of the loader, such as that of another version of the package. It is loaded later than the first. */
const COPY = "./postcss-loader.js?copy";

test("a section's own PostCSS loader runs, and its plugins see the section's folder as the working directory", async () => {
  const folders = await Promise.all([section(), section(), section()]);
  const original = process.cwd();
  const { default: copy } = (await import(/* @vite-ignore */ COPY)) as { default: typeof postcssLoader };
  const load = (loader: typeof postcssLoader, rootContext: string | undefined): unknown =>
    Reflect.apply(loader, { rootContext }, ["", undefined, undefined]);
  const loaded = [postcssLoader, copy, postcssLoader].map((loader, index) => load(loader, folders[index]));
  expect(process.cwd()).toBe(original);
  expect(await Promise.all(loaded)).toEqual(
    folders.map((folder) => [path.join(folder, "node_modules/postcss-loader/index.js"), folder, folder]),
  );
  expect(process.cwd()).toBe(original);
});
