import { readFile } from "node:fs/promises";
import path from "node:path";

import type { Release } from "@colonnade/kit/build";
import { beforeAll, expect, test } from "vitest";

import { refusal, spawnSection } from "../../fixtures/command.js";
import { helloSection, temporaryFolder } from "../../fixtures/temporary.js";

let folder: string;
let release: Release;

beforeAll(async () => {
  folder = await helloSection();
  const { code, out } = await spawnSection(folder, ["build"]);
  expect(code).toBe(0);
  release = JSON.parse(await readFile(path.join(folder, "release/release.json"), "utf8")) as Release;
  expect(out).toMatch(
    new RegExp(`^built hello@${release.version}: ${String(release.files.length)} files, \\d+ KiB\n$`),
  );
});

test("says that nothing changed", async () => {
  expect(await spawnSection(folder, ["build"])).toEqual({
    code: 0,
    out: `hello@${release.version} is up to date\n`,
    err: "",
  });
});

test("--json prints the result as data", async () => {
  const { out } = await spawnSection(folder, ["build", "--json"]);
  expect(JSON.parse(out)).toEqual({ name: "hello", version: release.version, built: false });
});

test("--final builds the package's own version", async () => {
  const { out } = await spawnSection(await helloSection(), ["build", "--final"]);
  expect(out).toMatch(/^built hello@0\.1\.0: /);
});

test("--development is for the shell", async () => {
  expect(await spawnSection(folder, ["build", "--development"])).toEqual(
    refusal("hello is a section; expected the shell, which alone has a build for development"),
  );
});

test("outside a section says so, without a trace", async () => {
  const elsewhere = await temporaryFolder();
  expect(await spawnSection(elsewhere, ["build"])).toEqual(
    refusal(`${elsewhere} has no section.config.js: run this in the folder of a section`),
  );
});

test("needs neither gateway nor token", async () => {
  expect((await spawnSection(folder, ["build"], { COLONNADE_TOKEN: "", COLONNADE_ADMIN: "nowhere" })).code).toBe(0);
});
