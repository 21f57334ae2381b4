// The kit as another repository gets it: packed, and used where nothing of this repository's sources can be seen.
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
const LIBRARIES = path.resolve(KIT, "../node_modules");

let elsewhere: string;
let modules: string;

/** Packs the kit as npm would, and unpacks it among links to this repository's libraries. */
beforeAll(async () => {
  elsewhere = await temporaryFolder();
  modules = path.join(elsewhere, "node_modules");
  const kit = path.join(modules, "@colonnade/kit");
  await mkdir(kit, { recursive: true });
  // Its scripts would compile once more what these tests run from.
  await run("npm", ["pack", "--ignore-scripts", "--pack-destination", elsewhere], { cwd: KIT });
  const [file = ""] = (await readdir(elsewhere)).filter((name) => name.endsWith(".tgz"));
  await tar.extract({ file: path.join(elsewhere, file), cwd: kit, strip: 1 });
  const libraries = (await readdir(LIBRARIES)).filter((name) => !["@colonnade", "typescript", ".bin"].includes(name));
  await Promise.all(libraries.map((name) => symlink(path.join(LIBRARIES, name), path.join(modules, name))));
});

function inSection(name: string, tool: string, ...args: string[]): Promise<{ stdout: string }> {
  return run(process.execPath, [path.join(modules, tool), ...args], { cwd: path.join(elsewhere, name) });
}

test("the packed kit holds what is used of it, and no tests", async () => {
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
      cwd: elsewhere,
    });
  });

  test("builds", async () => {
    await inSection(name, "@colonnade/kit/bin/section.js", "build");
    const release = JSON.parse(await readFile(path.join(elsewhere, name, "release/release.json"), "utf8")) as Release;
    expect(release.name).toBe(name);
    expect(release.pages).toEqual([
      {
        pattern,
        assets: [expect.stringMatching(/\.css$/), expect.stringMatching(/\.js$/)],
        // It has nothing to say yet.
        paths: [{ path: example, indexable: false }],
      },
    ]);
  });

  test("has no type error", async () => {
    const { stdout } = await inSection(name, "typescript-7/bin/tsc", "--listFilesOnly");
    expect(stdout).toContain("src/section.test.tsx");
    await inSection(name, "typescript-7/bin/tsc");
  });

  test("passes its own tests", async () => {
    const { stdout } = await inSection(name, "vitest/vitest.mjs", "run", "--reporter=json");
    expect(JSON.parse(stdout)).toMatchObject({ success: true, numPassedTests: 2 });
  });
});
