// The packed kit and `npm create @colonnade/section`, used in a folder outside this repository.
import { execFile } from "node:child_process";
import { cp, mkdir, readdir, readFile, symlink } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";

import type { Release } from "@colonnade/kit/build";
import * as tar from "tar";
import { beforeAll, expect, test, vi } from "vitest";

import { temporaryFolder } from "../../fixtures/temporary.js";

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const run = promisify(execFile);
const KIT = path.resolve(import.meta.dirname, "../..");
const ROOT = path.dirname(KIT);
const CREATE_SECTION = path.join(ROOT, "packages/create-section");
// The kit's own node_modules has the dependencies whose version differs from the one at the root.
const DEPENDENCIES = [path.join(KIT, "node_modules"), path.join(ROOT, "node_modules")];

let folder: string;
let modules: string;

/** Packs a package with npm. Returns the path of the file. */
async function pack(source: string): Promise<string> {
  // The kit's prepack script would rebuild dist/, which these tests run.
  const args = ["pack", "--ignore-scripts", "--json", "--pack-destination", folder];
  const { stdout } = await run("npm", args, { cwd: source });
  const [{ filename }] = JSON.parse(stdout) as [{ filename: string }];
  return path.join(folder, filename);
}

/** Packs the packages and unpacks them next to links to their dependencies in this repository. */
beforeAll(async () => {
  folder = await temporaryFolder();
  modules = path.join(folder, "node_modules");
  for (const source of [KIT, CREATE_SECTION]) {
    const target = path.join(modules, "@colonnade", path.basename(source));
    await mkdir(target, { recursive: true });
    await tar.extract({ file: await pack(source), cwd: target, strip: 1 });
  }
  const libraries = new Map<string, string>();
  for (const source of DEPENDENCIES.toReversed())
    for (const name of await readdir(source).catch(() => [])) libraries.set(name, path.join(source, name));
  for (const name of ["@colonnade", "typescript", ".bin"]) libraries.delete(name);
  await Promise.all([...libraries].map(([name, source]) => symlink(source, path.join(modules, name))));
});

function runInSection(name: string, tool: string, ...args: string[]): Promise<{ stdout: string }> {
  return run(process.execPath, [path.join(modules, tool), ...args], { cwd: path.join(folder, name) });
}

test("the packed kit contains the public files and no tests", async () => {
  const files = await readdir(path.join(modules, "@colonnade/kit"), { recursive: true });
  expect(files).toEqual(
    expect.arrayContaining([
      "bin/section.js",
      "design/index.css",
      "design/components/button.css",
      "dist/index.js",
      "dist/index.d.ts",
      "modules.d.ts",
      "templates/section/.github/workflows/ci.yml",
      "templates/section/gitignore",
      "templates/section/src/section.test.tsx",
    ]),
  );
  expect(files.filter((file) => /^dist\/.*(\.test\.|tsbuildinfo)|^(src|fixtures)\b/.test(file))).toEqual([]);
});

/** Type checks, tests and builds the section in a folder. Returns its release. */
async function checkAndBuild(name: string): Promise<Release> {
  const { stdout: files } = await runInSection(name, "typescript-7/bin/tsc", "--listFiles");
  expect(files).toContain("src/section.test.tsx");
  const { stdout: results } = await runInSection(name, "vitest/vitest.mjs", "run", "--reporter=json");
  expect(JSON.parse(results)).toMatchObject({ success: true, numFailedTests: 0 });
  await runInSection(name, "@colonnade/kit/bin/section.js", "build");
  return JSON.parse(await readFile(path.join(folder, name, "release/release.json"), "utf8")) as Release;
}

test.each([
  ["hello", [], "/hello", "/hello"],
  ["opening-hours", ["--at", "/hours/:day/:place"], "/hours/:day/:place", "/hours/example/example"],
])("the new section %s passes its checks", async (name, options, pattern, example) => {
  const create = path.join(modules, "@colonnade/create-section/bin/create-section.js");
  await run(process.execPath, [create, name, ...options], { cwd: folder });
  const release = await checkAndBuild(name);
  expect(release.name).toBe(name);
  const script = expect.stringMatching(/\.js$/) as string;
  expect(release.pages).toEqual([
    {
      pattern,
      assets: [expect.stringMatching(/\.css$/), script],
      // The template's pages ask search engines not to index them.
      paths: [{ path: example, indexable: false }],
    },
    {
      pattern: `${pattern}/:topic`,
      assets: [script],
      paths: ["start", "finish"].map((topic) => ({ path: `${example}/${topic}`, indexable: false })),
    },
  ]);
});

test("the example compare-cities passes its checks", async () => {
  await cp(path.join(ROOT, "examples/compare-cities"), path.join(folder, "compare-cities"), { recursive: true });
  const { pages } = await checkAndBuild("compare-cities");
  expect(pages[1]?.paths[0]).toEqual({ path: "/compare-cities/Oslo/S%C3%A3o%20Paulo", indexable: true });
});
