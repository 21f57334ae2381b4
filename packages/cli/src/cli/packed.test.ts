// The packed kit and command and `npm create @colonnade/section`, used in a folder outside this repository.
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";

import type { Release } from "@colonnade/cli";
import { version } from "react";
import * as tar from "tar";
import { beforeAll, describe, expect, test } from "vitest";

import { runSection, type CommandOutput } from "../../fixtures/command.js";
import { temporaryFolder, writeFiles, type Files } from "../../fixtures/temporary.js";
import type { startMinimalSite as start } from "../dev/minimalSite.js";
import { DENIED_FEATURES } from "../dev/policy.js";
import type { main as runMain } from "./index.js";

const run = promisify(execFile);
const CLI = path.resolve(import.meta.dirname, "../..");
const ROOT = path.resolve(CLI, "../..");
const KIT = path.join(ROOT, "packages/kit");
const SHELL = path.join(ROOT, "packages/shell");
const CREATE_SECTION = path.join(ROOT, "packages/create-section");
// The command's own node_modules has the dependencies whose version differs from the one at the root.
const DEPENDENCIES = [path.join(CLI, "node_modules"), path.join(ROOT, "node_modules")];

/** Has the packed packages, and the sections. */
let folder: string;
let modules: string;
let packedKit: string;
let packedCli: string;
let packedCreate: string;
/** The command of the unpacked create-section. */
let createSection: string;

/** Packs packages with npm. Returns the paths of the files. */
async function pack(sources: readonly string[]): Promise<string[]> {
  // The scripts would rebuild dist/, which these tests run.
  const args = ["pack", "--json", "--ignore-scripts", "--pack-destination", folder, ...sources];
  const { stdout } = await run("npm", args);
  return (JSON.parse(stdout) as { filename: string }[]).map(({ filename }) => path.join(folder, filename));
}

async function unpack(file: string, target: string): Promise<void> {
  await mkdir(target, { recursive: true });
  await tar.extract({ file, cwd: target, strip: 1 });
}

/** Unpacks create-section where it finds only the packages that it declares, such as after `npm create`. */
async function unpackCreate(): Promise<string> {
  const target = await temporaryFolder();
  await unpack(packedCreate, target);
  const { dependencies } = JSON.parse(await readFile(path.join(target, "package.json"), "utf8")) as {
    dependencies: Readonly<Record<string, string>>;
  };
  for (const name of Object.keys(dependencies)) {
    const link = path.join(target, "node_modules", name);
    await mkdir(path.dirname(link), { recursive: true });
    await symlink(path.join(CLI, "node_modules", name), link);
  }
  return path.join(target, "bin/create-section.js");
}

/** Packs the packages, and unpacks those of a section next to links to their dependencies in this repository. */
beforeAll(async () => {
  folder = await temporaryFolder();
  modules = path.join(folder, "node_modules");
  await run(process.execPath, [path.join(CREATE_SECTION, "scripts/bundle.mjs")]);
  const [kit = "", cli = "", shell = "", create = ""] = await pack([KIT, CLI, SHELL, CREATE_SECTION]);
  packedKit = kit;
  packedCli = cli;
  packedCreate = create;
  createSection = await unpackCreate();
  await Promise.all([
    unpack(kit, path.join(modules, "@colonnade/kit")),
    unpack(cli, path.join(modules, "@colonnade/cli")),
    unpack(shell, path.join(modules, "@colonnade/shell")),
  ]);
  const libraries = new Map<string, string>();
  for (const source of DEPENDENCIES.toReversed())
    for (const name of await readdir(source).catch(() => [])) libraries.set(name, path.join(source, name));
  for (const name of ["@colonnade", "typescript", ".bin"]) libraries.delete(name);
  await Promise.all([...libraries].map(([name, source]) => symlink(source, path.join(modules, name))));
});

function runInSection(name: string, tool: string, ...args: string[]): Promise<{ stdout: string }> {
  return run(process.execPath, [path.join(modules, tool), ...args], { cwd: path.join(folder, name) });
}

test.each([
  ["shell", ["dist/index.js", "dist/index.d.ts", "css"]],
  ["kit", ["dist/index.js", "dist/index.d.ts", "dist/contract.js", "modules.d.ts"]],
  [
    "cli",
    [
      ...[
        "bin/colonnade.js",
        "dist/check/errors.md",
        "dist/check/globals.js",
        "development-shell/dist/development.tgz",
      ],
      ...["templates/section/.github/workflows/ci.yml", "templates/section/gitignore"],
      "templates/section/src/section.test.tsx",
    ],
  ],
])("the packed %s contains the public files and no tests", async (name, expected) => {
  const files = await readdir(path.join(modules, "@colonnade", name), { recursive: true });
  expect(files).toEqual(expect.arrayContaining(["LICENSE", "README.md", ...expected]));
  expect(files.filter((file) => /^dist\/(.*(\.test\.|tsbuildinfo)|api|fixtures)|^(src|fixtures)\b/.test(file))).toEqual(
    [],
  );
});

test("create-section ends quietly if nothing reads its output", async () => {
  const child = spawn(process.execPath, [createSection, "--help"]);
  child.stdout.destroy();
  const [err] = await Promise.all([text(child.stderr), once(child, "close")]);
  expect({ code: child.exitCode, err }).toEqual({ code: 141, err: "" });
});

test("a package is built without the compiled files of removed modules", async () => {
  const target = await temporaryFolder();
  const kept = ["a.d.ts", "a.js", "b/c.d.ts", "b/c.js", "copy.js"];
  const compiled = [...kept, "removed.d.ts", "removed.js", "b/a.d.ts", "b/a.js"].map((file) => [`dist/${file}`, ""]);
  await writeFiles(target, { "src/a.ts": "", "src/b/c.tsx": "", ...(Object.fromEntries(compiled) as Files) });
  await run(process.execPath, [path.join(ROOT, "packages/remove-stale.mjs"), target]);
  expect((await readdir(path.join(target, "dist"), { recursive: true })).sort()).toEqual([...kept, "b"].sort());
});

/** Runs the unpacked command in the folder of a section, within this process, which has loaded webpack. */
async function runUnpacked(section: string, command: string): Promise<CommandOutput> {
  const module = pathToFileURL(path.join(modules, "@colonnade/cli/dist/cli/index.js")).href;
  const { main } = (await import(/* @vite-ignore */ module)) as { main: typeof runMain };
  return runSection(section, [command], {}, { command: main });
}

/** Builds the section in a folder. Returns its release. */
async function built(name: string): Promise<Release> {
  const section = path.resolve(folder, name);
  const { code, err } = await runUnpacked(section, "build");
  expect({ code, err }).toEqual({ code: 0, err: "" });
  return JSON.parse(await readFile(path.join(section, "release/release.json"), "utf8")) as Release;
}

// tests/ship runs all checks of a section without parameters.
test("a new section with parameters and the example compare-cities work", async () => {
  const [name, pattern, example] = ["opening-hours", "/hours/:day/:place", "/hours/example/example"];
  await run(process.execPath, [createSection, name, "--at", pattern], { cwd: folder });
  await cp(path.join(ROOT, "examples/compare-cities"), path.join(folder, "compare-cities"), {
    recursive: true,
    filter: (source) => !/[/\\](node_modules|release)$/.test(source),
  });
  await runInSection(name, "eslint/bin/eslint.js", "src");
  const { stdout: files } = await runInSection(
    name,
    "typescript-7/bin/tsc",
    "-b",
    ".",
    "../compare-cities",
    "--listFiles",
  );
  for (const section of [name, "compare-cities"]) expect(files).toContain(`${section}/src/section.test.tsx`);
  // One run has the tests of both.
  const projects = [name, "compare-cities"];
  await writeFile(path.join(folder, "vitest.config.js"), `export default ${JSON.stringify({ test: { projects } })};`);
  const { stdout: results } = await runInSection(name, "vitest/vitest.mjs", "run", "--root=..", "--reporter=json");
  expect(JSON.parse(results)).toMatchObject({ success: true, numFailedTests: 0, numPassedTestSuites: 2 });

  const release = await built(name);
  expect(release.name).toBe(name);
  const assets = [/\.js$/, /\.css$/].map((type): unknown => expect.stringMatching(type));
  expect(release.pages).toEqual([
    {
      pattern,
      assets,
      // The template's pages ask search engines not to index them.
      paths: [{ path: example, indexable: false }],
    },
    {
      pattern: `${pattern}/:topic`,
      assets,
      paths: ["start", "finish"].map((topic) => ({ path: `${example}/${topic}`, indexable: false })),
    },
  ]);
  const { pages } = await built("compare-cities");
  expect(pages[1]?.paths[0]).toEqual({ path: "/compare-cities/Oslo/S%C3%A3o%20Paulo", indexable: true });
});

/** A shared package in TypeScript, and the section "hello" that uses it, below the root of a workspace. */
function workspaceFiles(section: string): Files {
  return {
    "packages/ui/package.json": JSON.stringify({
      ...{ name: "@team/ui", version: "1.0.0", private: true, type: "module", exports: "./src/index.ts" },
      peerDependencies: { "@colonnade/kit": "*", react: "*" },
    }),
    "packages/ui/src/index.ts": 'export { Price } from "./Price";\n',
    "packages/ui/src/Price.tsx": `import { useSite } from "@colonnade/kit";
import { useState } from "react";

import css from "./price.module.css";

export function Price() {
  const [price] = useState(7);
  return <p className={css.price}>{\`\${useSite().brand} sells it for \${String(price)}\`}</p>;
}
`,
    "packages/ui/src/price.module.css": ".price { color: green }\n",
    [`${section}/src/pages/home.tsx`]: `import { definePage } from "@colonnade/kit";
import { Price } from "@team/ui";

export const page = definePage({
  data: () => null,
  paths: () => ["/hello"],
  head: () => ({ title: "Price", description: "A price.", canonical: "/hello" }),
  Component: () => (
    <div>
      <h1>Price</h1>
      <Price />
    </div>
  ),
});
`,
    [`${section}/src/section.ts`]: `import { defineSection } from "@colonnade/kit";

export default defineSection({
  name: "hello",
  contract: 1,
  pages: { "/hello": () => import("./pages/home") },
});
`,
  };
}

/** Creates a workspace in a folder of its own. Returns its root. */
async function createWorkspace(): Promise<string> {
  const team = await temporaryFolder();
  await symlink(modules, path.join(team, "node_modules"));
  await run(process.execPath, [createSection, "hello"], { cwd: team });
  await writeFiles(team, workspaceFiles("hello"));
  await mkdir(path.join(team, "hello/node_modules/@team"), { recursive: true });
  await symlink("../../../packages/ui", path.join(team, "hello/node_modules/@team/ui"));
  return team;
}

test("a section contains a workspace package in TypeScript, whose errors have positions", async () => {
  const team = await createWorkspace();
  const section = path.join(team, "hello");
  const { assets = [] } = (await built(section)).pages[0] ?? {};
  const [style = ""] = assets.filter((file) => file.endsWith(".css"));
  expect(await readFile(path.join(section, "release", style), "utf8")).toMatch(/^\.hello_price_\w+\{color:green\}$/);

  const price = "packages/ui/src/Price.tsx";
  const text = await readFile(path.join(team, price), "utf8");
  await writeFiles(team, { [price]: text.replace("useState(7)", "useState(Math.random())") });
  const { code, err } = await runUnpacked(section, "check");
  expect(code).toBe(3);
  expect(err).toMatch(/COL102 .*\n {2}at \.\.\/packages\/ui\/src\/Price\.tsx:7:/);
});

// pnpm installs one for each set of peers.
test("the tests of a section use its own kit in a workspace package that has a copy", async () => {
  const team = await createWorkspace();
  const source = path.join(modules, "@colonnade/kit");
  await cp(source, path.join(team, "packages/ui/node_modules/@colonnade/kit"), { recursive: true });
  await writeFiles(team, {
    "hello/src/section.test.tsx": `import { renderPage } from "@colonnade/kit/testing";
import { screen } from "@testing-library/react";
import { test } from "vitest";

import section from "./section";

test("the page has a price", async () => {
  await renderPage(section, "/hello", { site: { brand: "Example" } });
  screen.getByText("Example sells it for 7");
});
`,
  });
  await run(process.execPath, [path.join(modules, "vitest/vitest.mjs"), "run"], { cwd: path.join(team, "hello") });
});

test("the example vite-section is built in a folder of its own", async () => {
  await cp(path.join(ROOT, "examples/vite-section"), path.join(folder, "vite-section"), {
    recursive: true,
    filter: (source) => !/[/\\](node_modules|release|dist)$/.test(source),
  });
  expect((await built("vite-section")).pages[0]?.paths).toHaveLength(2);
});

// Installs from the registry, which takes a minute for each package manager.
describe.runIf(process.env.SOAK)("a new section works with", { timeout: 600_000 }, () => {
  /** Creates a section in a folder of its own, outside of the folder with the links. Returns the section's folder. */
  async function create(agent: string): Promise<string> {
    const team = await temporaryFolder();
    const env = { ...process.env, npm_config_user_agent: agent };
    await run(process.execPath, [createSection, "hello", "--packages", folder], { cwd: team, env });
    return path.join(team, "hello");
  }

  async function installAndCheck(cwd: string, command: string, ...args: string[]): Promise<void> {
    await run(command, [...args, "install"], { cwd });
    await checkInstalled(cwd, command, ...args);
  }

  async function checkInstalled(cwd: string, command: string, ...args: string[]): Promise<void> {
    for (const script of ["check", "test", "build"]) await run(command, [...args, "run", script], { cwd });
    const release = JSON.parse(await readFile(path.join(cwd, "release/release.json"), "utf8")) as Release;
    expect(release.name).toBe("hello");
  }

  test("npm", async () => {
    const team = await temporaryFolder();
    const args = ["exec", "--yes", `--package=${packedCreate}`, "--", "create-section", "hello", "--packages", folder];
    await run("npm", args, { cwd: team });
    const section = path.join(team, "hello");
    await run("npm", ["install"], { cwd: section });
    // What the workflow has: the committed files, and no cache.
    const git = ["-c", "user.name=x", "-c", "user.email=x@example.com"];
    await run("git", ["add", "."], { cwd: section });
    await run("git", [...git, "commit", "--quiet", "--message", "x"], { cwd: section });
    await run("git", ["clone", "--quiet", "hello", "clone"], { cwd: team });
    await run("npm", ["ci", "--cache", path.join(team, "cache")], { cwd: path.join(team, "clone") });
    await checkInstalled(path.join(team, "clone"), "npm");
  });

  test("pnpm", async () => {
    await installAndCheck(await create("pnpm/12.21.0 npm/? node/v20"), "npx", "--yes", "pnpm@12.21.0");
  });

  test.each([
    ["yarn/1.22.22", "yarn@1.22.22"],
    ["yarn/4.18.1", "@yarnpkg/cli-dist@4.18.1"],
  ])("%s", async (agent, command) => {
    const section = await create(agent);
    await omitOtherPlatforms(path.join(section, "package.json"));
    await installAndCheck(section, "npx", "--yes", command);
  });
});

test("colonnade dev shows a new section without a site", async () => {
  await run(process.execPath, [createSection, "hello"], { cwd: folder });
  const target = { source: "https://site.example", scriptKib: 40, extensionPoints: {}, shared: {}, policy: {} };
  await writeFiles(folder, { "hello/.colonnade/build-target.json": JSON.stringify(target) });
  const args = [path.join(modules, "@colonnade/cli/bin/colonnade.js"), "dev", "hello", "--port", "0"];
  // Without PATH, as on a machine that has only Node.js.
  const child = spawn(process.execPath, args, { cwd: folder, env: {} });
  const err = text(child.stderr);
  try {
    let url = "";
    for await (const line of createInterface(child.stdout)) {
      [, url = ""] = /^(http:\S+) serves hello in a site without other sections$/.exec(line) ?? [];
      if (url !== "") break;
    }
    expect(url).toMatch(/\/hello$/);
    const page = await fetch(url);
    expect(page.status).toBe(200);
    expect(await page.text()).toMatch(/<main id="main" tabindex="-1">.*<h1>/);
    expect(page.headers.get("permissions-policy")).toBe(DENIED_FEATURES);
    expect((await fetch(new URL("/other", url))).status).toBe(404);
    // A page takes this for data that is unavailable, not for something that does not exist.
    const api = await fetch(new URL("/api/events", url));
    expect([api.status, api.headers.get("proxy-status")]).toEqual([404, "colonnade; error=destination_not_found"]);
  } finally {
    child.kill();
  }
  expect(await err).toContain("40 KiB of scripts (set by https://site.example when last asked (--site asks again))");
});

test("the site of colonnade dev without another ends no idle connection", async () => {
  const module = pathToFileURL(path.join(modules, "@colonnade/cli/dist/dev/minimalSite.js")).href;
  const { startMinimalSite } = (await import(/* @vite-ignore */ module)) as { startMinimalSite: typeof start };
  const site = await startMinimalSite({});
  // A server that ends them says after how many seconds.
  expect((await fetch(site.origin)).headers.get("keep-alive")).toBeNull();
  site.close();
});

// As above. pnpm isolates the packages of each section.
describe.runIf(process.env.SOAK)(
  "sections of a workspace share a package in TypeScript with",
  { timeout: 600_000 },
  () => {
    const WORKSPACES = { workspaces: ["packages/*", "sections/*"] };
    test.each<[agent: string, command: readonly string[], root: Files]>([
      ["npm/10.8.2", ["npm"], {}],
      [
        "pnpm/12.21.0",
        ["npx", "--yes", "pnpm@12.21.0"],
        { "pnpm-workspace.yaml": 'packages: ["packages/*", "sections/*"]\nallowBuilds:\n  "@swc/core": false\n' },
      ],
      [
        "yarn/4.18.1",
        ["npx", "--yes", "@yarnpkg/cli-dist@4.18.1"],
        { ".yarnrc.yml": "nodeLinker: node-modules\n", "yarn.lock": "" },
      ],
    ])("%s", async (agent, [command = "", ...args], files) => {
      const team = await temporaryFolder();
      const isPnpm = agent.startsWith("pnpm");
      const root = { name: "team", private: true, ...(!isPnpm && WORKSPACES) };
      await writeFiles(team, { ...files, "package.json": JSON.stringify(root), "sections/README.md": "" });
      const env = { ...process.env, npm_config_user_agent: agent };
      const names = ["hello", "other"];
      for (const name of names)
        await run(process.execPath, [createSection, name, "--packages", folder], {
          cwd: path.join(team, "sections"),
          env,
        });
      await writeFiles(team, workspaceFiles("sections/hello"));
      // No registry has them, and a workspace has one of each.
      const [kit, cli] = [`file:${packedKit}`, `file:${packedCli}`];
      for (const name of names) {
        const section = path.join(team, "sections", name);
        await addDependencies(section, { "@colonnade/kit": kit, "@colonnade/cli": cli });
        await rm(path.join(section, "src/section.test.tsx"));
      }
      await addDependencies(path.join(team, "sections/hello"), {
        "@team/ui": command === "npm" ? "*" : "workspace:*",
      });
      await addDependencies(path.join(team, "packages/ui"), {
        "@colonnade/kit": kit,
        "@types/react": "*",
        react: version,
      });
      await run(command, [...args, "install"], { cwd: team });
      for (const name of names) {
        const cwd = path.join(team, "sections", name);
        for (const script of ["check", "build"]) await run(command, [...args, "run", script], { cwd });
        expect(JSON.parse(await readFile(path.join(cwd, "release/release.json"), "utf8"))).toMatchObject({ name });
      }
    });
  },
);

interface Manifest {
  readonly dependencies?: object;
  readonly devDependencies?: object;
}

const ONLY_FOR_TESTS = /eslint|testing|vitest|happy-dom/;

/** Adds dependencies to a package, without those of its tests, which take long to install. */
async function addDependencies(workspace: string, added: Readonly<Record<string, string>>): Promise<void> {
  const file = path.join(workspace, "package.json");
  const { dependencies, devDependencies, ...others } = JSON.parse(await readFile(file, "utf8")) as Manifest;
  const all = Object.entries({ ...devDependencies, ...dependencies, ...added });
  const kept = Object.fromEntries(all.filter(([name]) => !ONLY_FOR_TESTS.test(name)));
  await writeFile(file, JSON.stringify({ ...others, dependencies: kept }));
}

const PLATFORM = /\b(aix|android|darwin|freebsd|linux|netbsd|openbsd|openharmony|sunos|wasm32|win32)\b/;

/** Replaces packages of other platforms. Yarn resolves them although it does not install them, and a mirror may lack them. */
async function omitOtherPlatforms(file: string): Promise<void> {
  const { packages } = JSON.parse(await readFile(path.join(ROOT, "package-lock.json"), "utf8")) as {
    packages: Readonly<Record<string, { readonly optionalDependencies?: object }>>;
  };
  const names = Object.values(packages).flatMap((entry) => Object.keys(entry.optionalDependencies ?? {}));
  const ofThisPlatform = `${process.platform}-${process.arch}`;
  const others = names.filter(
    (name) => PLATFORM.test(name) && (!name.includes(ofThisPlatform) || name.endsWith("musl")),
  );
  const resolutions = Object.fromEntries(others.map((name) => [name, "npm:tslib@2.8.1"]));
  const manifest = JSON.parse(await readFile(file, "utf8")) as object;
  await writeFile(file, JSON.stringify({ ...manifest, resolutions }));
}
