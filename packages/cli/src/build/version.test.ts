import { appendFile, cp, mkdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { pathToFileURL } from "node:url";

import { beforeAll, describe, expect, test } from "vitest";

import { helloSection, NODE_MODULES, temporaryFolder, writeFiles, type Files } from "../../fixtures/temporary.js";
import type { SectionConfig } from "./config.js";
import { identifierOf, identify } from "./version.js";

const CONFIG: SectionConfig = { name: "hello-world", entry: "./src/section.ts" };

async function versionOf(folder: string): Promise<string> {
  return (await identify(folder, CONFIG, { final: false })).version;
}

let unchanged: string;
beforeAll(async () => {
  unchanged = await versionOf(await helloSection());
});

test("a development version appends a hash of twelve digits", () => {
  expect(unchanged).toMatch(/^0\.1\.0-dev\.[0-9a-fx][0-9a-f]{11}$/);
});

test("a final version is the package's version", async () => {
  const { version } = await identify(await helloSection(), CONFIG, { final: true });
  expect(version).toBe("0.1.0");
});

test("a container is named by its section and hash", async () => {
  const { container, version } = await identify(await helloSection(), CONFIG, { final: false });
  expect(container).toMatch(/^hello_world_[0-9a-f]{12}$/);
  expect(container.slice(-11)).toBe(version.slice(-11));
});

test("a development build has a different version and container", async () => {
  const folder = await helloSection();
  const [plain, development] = await Promise.all([
    identify(folder, CONFIG, { final: false }),
    identify(folder, CONFIG, { final: false, development: true }),
  ]);
  expect(development.version).toMatch(/^0\.1\.0-dev\.[0-9a-fx][0-9a-f]{11}$/);
  expect(development.version).not.toBe(plain.version);
  expect(development.container).not.toBe(plain.container);
});

test("equal trees in different folders have the same version", async () => {
  expect(await versionOf(await helloSection())).toBe(unchanged);
});

describe("the version changes with", () => {
  test.each<[string, Files]>([
    ["a changed module", { "src/greetings.ts": "export const GREETINGS = {};" }],
    ["a new file", { "src/new.css": "" }],
    ["a new file in a nested folder named release", { "src/release/new.css": "" }],
    ["a changed package.json", { "package.json": '{ "version": "0.1.0", "private": true }' }],
    ["a changed configuration", { "section.config.js": "export default {};" }],
    ["a lockfile of npm", { "package-lock.json": "{}" }],
    ["a lockfile of pnpm", { "pnpm-lock.yaml": "lockfileVersion: '9.0'" }],
    ["a lockfile of Yarn", { "yarn.lock": "# yarn lockfile v1" }],
  ])("%s", async (_, files) => {
    expect(await versionOf(await helloSection(files))).not.toBe(unchanged);
  });

  test("bytes moved from one file to another", async () => {
    const folder = await helloSection({ "src/a.css": "ab", "src/b.css": "c" });
    const before = await versionOf(folder);
    await writeFiles(folder, { "src/a.css": "a", "src/b.css": "bc" });
    expect(await versionOf(folder)).not.toBe(before);
  });

  test("TypeScript, which writes the types of exposed modules", async () => {
    const folder = await helloSection();
    await rm(path.join(folder, "node_modules"));
    const before = await versionOf(folder);
    await writeFiles(folder, { "node_modules/typescript/package.json": '{ "bin": { "tsc": "tsc.js" } }' });
    expect(await versionOf(folder)).not.toBe(before);
  });

  test("a changed lockfile in a parent folder", async () => {
    const folder = await helloSection();
    const lock = path.join(folder, "../package-lock.json");
    await writeFile(lock, "{}");
    const before = await versionOf(folder);
    await writeFile(lock, '{ "lockfileVersion": 3 }');
    expect(await versionOf(folder)).not.toBe(before);
  });

  test("a changed kit", async () => {
    const folder = await helloSection();
    const versions = ["", "\n"].map(async (text) => {
      const kit = await temporaryFolder();
      await cp(path.resolve(import.meta.dirname, "../../dist"), path.join(kit, "dist"), { recursive: true });
      await symlink(NODE_MODULES, path.join(kit, "node_modules"));
      await appendFile(path.join(kit, "dist/build/rules.js"), text);
      const module = pathToFileURL(path.join(kit, "dist/build/version.js")).href;
      const other = (await import(/* @vite-ignore */ module)) as { identify: typeof identify };
      return (await other.identify(folder, CONFIG, { final: false })).version;
    });
    expect(new Set(await Promise.all(versions)).size).toBe(2);
  });
});

describe("the version does not change with", () => {
  test.each<[string, Files]>([
    ["a changed test", { "src/section.test.tsx": "// nothing" }],
    ["a new test", { "src/pages/greeting.test.tsx": "// nothing" }],
    ["a release", { "release/release.json": "{}" }],
    ["output of a failed build", { "release.building/client/entry.js": "" }],
    ["fetched types of other sections", { ".colonnade/types/remotes.d.ts": "export {};" }],
    ["compiled output", { "dist/section.js": "" }],
    ["build info of TypeScript", { "tsconfig.tsbuildinfo": "{}", "src/tsconfig.tsbuildinfo": "{}" }],
    ["files of Turborepo and ESLint", { ".turbo/turbo-build.log": "", ".eslintcache": "[]" }],
  ])("%s", async (_, files) => {
    expect(await versionOf(await helloSection(files))).toBe(unchanged);
  });

  test("installed packages", async () => {
    const folder = await temporaryFolder();
    await writeFiles(folder, {
      "package.json": await readFile(path.join(import.meta.dirname, "../../package.json"), "utf8"),
    });
    const before = await versionOf(folder);
    await mkdir(path.join(folder, "node_modules/react"), { recursive: true });
    await writeFiles(folder, { "node_modules/react/index.js": "" });
    expect(await versionOf(folder)).toBe(before);
  });
});

// Semantic Versioning 2.0.0, section 9: numeric identifiers have no leading zeros.
test.each([
  ["4f0c2b9a1d3e", "1.4.0-dev.4f0c2b9a1d3e"],
  ["0f0c2b9a1d3e", "1.4.0-dev.0f0c2b9a1d3e"],
  ["123456789012", "1.4.0-dev.123456789012"],
  ["012345678901", "1.4.0-dev.x12345678901"],
  ["000000000000", "1.4.0-dev.x00000000000"],
])("the hash %s produces the version %s, without a leading zero", (hash, version) => {
  expect(`1.4.0-dev.${identifierOf(hash)}`).toBe(version);
});
