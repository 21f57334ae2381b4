import { readFile } from "node:fs/promises";
import path from "node:path";

import { build, type Release } from "@colonnade/kit/build";
import { beforeAll, expect, test } from "vitest";

import { failure, MemoryStream, runCompiled, runSection, spawnSection } from "../../fixtures/command.js";
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
  expect(await runCompiled(folder, ["build"])).toEqual({
    code: 0,
    out: `hello@${release.version} is up to date\n`,
    err: "",
  });
});

test("--json prints the result as JSON", async () => {
  const { out } = await runCompiled(folder, ["build", "--json"]);
  expect(JSON.parse(out)).toEqual({ name: "hello", version: release.version, built: false, warnings: [] });
});

test("--final builds the version in package.json", async () => {
  const { out } = await runCompiled(await helloSection(), ["build", "--final"]);
  expect(out).toMatch(/^built hello@0\.1\.0: /);
});

test("--development is rejected for a section", async () => {
  expect(await runSection(folder, ["build", "--development"])).toEqual(
    failure("hello is a section; only the shell can be built with --development"),
  );
});

test("a missing section.config.js prints no stack trace", async () => {
  const elsewhere = await temporaryFolder();
  expect(await runSection(elsewhere, ["build"])).toEqual(
    failure(`${elsewhere} has no section.config.js; run this in the folder of a section`),
  );
});

test("build needs neither gateway nor token", async () => {
  expect((await runCompiled(folder, ["build"], { COLONNADE_TOKEN: "", COLONNADE_ADMIN: "nowhere" })).code).toBe(0);
});

test("sources that do not compile exit with code 3", async () => {
  const broken = await helloSection({ "src/languages.ts": "export const LANGUAGES = ;" });
  const { code, err } = await runCompiled(broken, ["build"]);
  expect(code).toBe(3);
  expect(err).toContain("Expression expected");
});

test("on a terminal, the step is erased before an error", async () => {
  const broken = await helloSection({ "src/section.ts": "export default ;" });
  const stderr = new MemoryStream(true);
  const { code, err } = await runSection(broken, ["build"], {}, stderr);
  expect(code).toBe(3);
  const [step, erased, error] = err.split("\x1b[K");
  expect([step, erased]).toEqual(["\rclient bundle 0 s", "\r"]);
  expect(error).toMatch(/^error: .*syntax error:/);
});

test("build reports its steps in order", async () => {
  const steps: string[] = [];
  const section = await helloSection();
  const onStep = (step: string) => steps.push(step);
  await build(section, { final: false }, onStep);
  expect(steps).toEqual(["client bundle", "server bundle", "check"]);
  await build(section, { final: false }, onStep);
  expect(steps).toHaveLength(3);
});
