// The packed kit, used in a folder outside this repository.
import { execFile } from "node:child_process";
import { mkdir, readdir, readFile, symlink } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";

import type { Release } from "@colonnade/kit/build";
import * as tar from "tar";
import { beforeAll, describe, expect, test, vi } from "vitest";

import { temporaryFolder } from "../../fixtures/temporary.js";

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const run = promisify(execFile);
const KIT = path.resolve(import.meta.dirname, "../..");
// The kit's own node_modules has the dependencies whose version differs from the one at the root.
const DEPENDENCIES = [path.join(KIT, "node_modules"), path.resolve(KIT, "../node_modules")];

let folder: string;
let modules: string;

/** Packs the kit with npm and unpacks it next to links to its dependencies in this repository. */
beforeAll(async () => {
  folder = await temporaryFolder();
  modules = path.join(folder, "node_modules");
  const kit = path.join(modules, "@colonnade/kit");
  await mkdir(kit, { recursive: true });
  // The prepack script would rebuild dist/, which these tests run.
  await run("npm", ["pack", "--ignore-scripts", "--pack-destination", folder], { cwd: KIT });
  const [file = ""] = (await readdir(folder)).filter((name) => name.endsWith(".tgz"));
  await tar.extract({ file: path.join(folder, file), cwd: kit, strip: 1 });
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
      "templates/section/gitignore",
      "templates/section/src/section.test.tsx",
    ]),
  );
  expect(files.filter((file) => /^dist\/.*(\.test\.|tsbuildinfo)|^(src|fixtures)\b/.test(file))).toEqual([]);
});

describe.each([
  ["hello", [], "/hello", "/hello"],
  ["opening-hours", ["--at", "/hours/:day/:place"], "/hours/:day/:place", "/hours/example/example"],
])("a new section %s", (name, options, pattern, example) => {
  beforeAll(async () => {
    await run(process.execPath, [path.join(modules, "@colonnade/kit/bin/section.js"), "new", name, ...options], {
      cwd: folder,
    });
  });

  test("builds", async () => {
    await runInSection(name, "@colonnade/kit/bin/section.js", "build");
    const release = JSON.parse(await readFile(path.join(folder, name, "release/release.json"), "utf8")) as Release;
    expect(release.name).toBe(name);
    expect(release.pages).toEqual([
      {
        pattern,
        assets: [expect.stringMatching(/\.css$/), expect.stringMatching(/\.js$/)],
        // The template page asks search engines not to index it.
        paths: [{ path: example, indexable: false }],
      },
    ]);
  });

  test("has no type errors", async () => {
    const { stdout } = await runInSection(name, "typescript-7/bin/tsc", "--listFilesOnly");
    expect(stdout).toContain("src/section.test.tsx");
    await runInSection(name, "typescript-7/bin/tsc");
  });

  test("passes its own tests", async () => {
    const { stdout } = await runInSection(name, "vitest/vitest.mjs", "run", "--reporter=json");
    expect(JSON.parse(stdout)).toMatchObject({ success: true, numPassedTests: 2 });
  });
});
