import { readFile } from "node:fs/promises";
import path from "node:path";

import type { Release } from "@colonnade/kit/build";
import { beforeAll, expect, test } from "vitest";

import { failure, spawnSection } from "../../fixtures/command.js";
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

test("an unchanged section is reported as up to date", async () => {
  expect(await spawnSection(folder, ["build"])).toEqual({
    code: 0,
    out: `hello@${release.version} is up to date\n`,
    err: "",
  });
});

test("--json prints the result as JSON", async () => {
  const { out } = await spawnSection(folder, ["build", "--json"]);
  expect(JSON.parse(out)).toEqual({ name: "hello", version: release.version, built: false });
});

test("--final builds the version in package.json", async () => {
  const { out } = await spawnSection(await helloSection(), ["build", "--final"]);
  expect(out).toMatch(/^built hello@0\.1\.0: /);
});

test("--development is rejected for a section", async () => {
  expect(await spawnSection(folder, ["build", "--development"])).toEqual(
    failure("hello is a section; only the shell can be built with --development"),
  );
});

test("a missing section.config.js prints no stack trace", async () => {
  const elsewhere = await temporaryFolder();
  expect(await spawnSection(elsewhere, ["build"])).toEqual(
    failure(`${elsewhere} has no section.config.js; run this in the folder of a section`),
  );
});

test("build needs neither gateway nor token", async () => {
  expect((await spawnSection(folder, ["build"], { COLONNADE_TOKEN: "", COLONNADE_ADMIN: "nowhere" })).code).toBe(0);
});
