import path from "node:path";

import { expect, test } from "vitest";

import { temporaryFolder, writeFiles, type Files } from "../../fixtures/temporary.js";
import { tsconfigOf } from "./tsconfig.js";

const BASE = { "base/tsconfig.json": "{}", "node_modules/shared/tsconfig.json": '{ "extends": "./strict" }' };

test.each<[string, Files, string | undefined]>([
  ["none", {}, undefined],
  ["a file", { "tsconfig.json": "{}" }, "tsconfig.json"],
  ["Vite's file", { "tsconfig.json": "{}", "tsconfig.app.json": "{}" }, "tsconfig.app.json"],
  ["a base", { ...BASE, "tsconfig.json": '{ "extends": "./base/tsconfig" }' }, "tsconfig.json"],
  ["a missing base", { ...BASE, "tsconfig.json": '{ "extends": "../nowhere.json" }' }, undefined],
  ["a missing package", { ...BASE, "tsconfig.json": '{ "extends": ["./base/tsconfig.json", "nowhere"] }' }, undefined],
  ["a missing base of a package", { ...BASE, "tsconfig.json": '{ "extends": "shared" }' }, undefined],
  [
    "a package",
    { ...BASE, "node_modules/shared/strict.json": "{}", "tsconfig.json": '{ "extends": "shared/tsconfig.json" }' },
    "tsconfig.json",
  ],
  ["a cycle", { "tsconfig.json": '{ "extends": "./tsconfig.json" }' }, "tsconfig.json"],
])("tsconfigOf finds the complete file: %s", async (_, files, expected) => {
  const folder = await temporaryFolder();
  await writeFiles(folder, files);
  expect(tsconfigOf(folder)).toBe(expected && path.join(folder, expected));
});
