import { readdir, readFile, rm } from "node:fs/promises";
import path from "node:path";

import { describe, expect, test } from "vitest";

import { argumentFailure, failure, runSection } from "../../fixtures/command.js";
import { temporaryFolder, writeFiles, type Files } from "../../fixtures/temporary.js";
import { create } from "./create.js";

const ROOT = path.resolve(import.meta.dirname, "../../../..");
const KIT = path.join(ROOT, "packages/kit");
const CLI = path.join(ROOT, "packages/cli");

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly engines: object;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
}

async function readManifest(folder: string): Promise<Manifest> {
  return JSON.parse(await readFile(path.join(folder, "package.json"), "utf8")) as Manifest;
}

test("new creates a section and prints the next steps", async () => {
  const folder = await temporaryFolder();
  expect(await runSection(folder, ["new", "hello"], { COLONNADE_TOKEN: undefined })).toEqual({
    code: 0,
    out: `created hello/ with a page at /hello and a Git repository

  cd hello
  npm install
  npm test
  npx --no colonnade build

Commit the files and the lockfile: the workflow and \`colonnade upgrade\` need the commit.
`,
    err: "",
  });
  const section = path.join(folder, "hello");
  expect((await readManifest(section)).name).toBe("hello");
  expect(await readFile(path.join(section, "section.config.js"), "utf8")).toContain('name: "hello"');
  expect(await readFile(path.join(section, "src/section.ts"), "utf8")).toContain('"/hello": () => import');
  expect(await readFile(path.join(section, ".gitignore"), "utf8")).toContain("node_modules/\ndist/\nrelease/\n");
});

test("create-section does the same, under its own name", async () => {
  const folder = await temporaryFolder();
  const run = (...args: string[]) => runSection(folder, args, {}, { command: create });
  expect(await run("hello")).toMatchObject({ code: 0, out: expect.stringContaining("created hello/") as string });
  const { out } = await run("--help");
  expect(out).toMatch(/^Usage: create-section \[options\] <name>\n/);
  expect(out).not.toMatch(/colonnade new|COLONNADE_/);
  expect(out.match(/^ {2}\d(?= )/gm)).toEqual(["  0", "  1", "  2"]);
  expect(await run()).toEqual(failure("missing required argument 'name'\nRun `create-section --help` for usage."));
});

test("--json prints the created files", async () => {
  const folder = await temporaryFolder();
  const { out } = await runSection(folder, ["new", "opening-hours", "--at", "/hours/:day", "--json"]);
  expect(JSON.parse(out)).toEqual({
    name: "opening-hours",
    folder: path.join(folder, "opening-hours"),
    pattern: "/hours/:day",
    packages: {
      "@colonnade/kit": (await readManifest(KIT)).version,
      "@colonnade/cli": (await readManifest(CLI)).version,
    },
    packageManager: "npm",
    hasNewRepository: true,
    files: [
      ".github/workflows/ci.yml",
      ".gitignore",
      "README.md",
      "eslint.config.js",
      "package.json",
      "section.config.js",
      "src/page.module.css",
      "src/pages/home.tsx",
      "src/pages/topic.tsx",
      "src/section.test.tsx",
      "src/section.ts",
      "src/topics.ts",
      "tsconfig.json",
      "vitest.config.js",
    ],
  });
});

test("the created files contain no placeholders", async () => {
  const folder = await temporaryFolder();
  const { out } = await runSection(folder, ["new", "opening-hours", "--at", "/hours/:day", "--json"]);
  const { files } = JSON.parse(out) as { files: string[] };
  for (const file of files) {
    const text = await readFile(path.join(folder, "opening-hours", file), "utf8");
    expect(text, file).not.toMatch(/section-(name|path|example)|Section title/);
  }
  const page = await readFile(path.join(folder, "opening-hours/src/pages/home.tsx"), "utf8");
  expect(page).toContain("<h1>Opening hours</h1>");
  expect(page).toContain('paths: () => ["/hours/example"]');
});

test("--at / creates the site's home page", async () => {
  const folder = await temporaryFolder();
  await runSection(folder, ["new", "start", "--at", "/"]);
  const pages = path.join(folder, "start/src");
  expect(await readFile(path.join(pages, "section.ts"), "utf8")).toContain('"/:topic": () => import("./pages/topic")');
  expect(await readFile(path.join(pages, "pages/topic.tsx"), "utf8")).toContain('paths: () => ["/start", "/finish"]');
});

test("no Git repository is created within another", async () => {
  const folder = await temporaryFolder();
  await runSection(folder, ["new", "outer"]);
  const { out } = await runSection(path.join(folder, "outer"), ["new", "inner", "--json"]);
  expect(JSON.parse(out)).toMatchObject({ hasNewRepository: false });
  expect(await readdir(path.join(folder, "outer/inner"))).not.toContain(".git");
});

describe("a new section uses the commands of", () => {
  interface Expected {
    readonly steps: string;
    readonly readme: string;
    readonly workflow: readonly string[];
    readonly packageManager?: string;
    readonly settings?: readonly [file: string, text: string];
  }
  test.each<[agent: string, expected: Expected]>([
    [
      "npm/10.8.2 node/v20.20.2 linux x64 workspaces/false",
      {
        steps: "npm install\n  npm test\n  npx --no colonnade build\n",
        readme: "npm run check ",
        workflow: [
          ...["cache: npm", "npm ci", "npm run check", "npm run lint", "npm test", "npm run build"],
          "npx --no colonnade publish",
        ],
      },
    ],
    [
      "pnpm/10.34.5 npm/? node/v20.20.2 linux x64",
      {
        steps: "pnpm install\n  pnpm test\n  pnpm exec colonnade build\n",
        readme: "pnpm run check ",
        workflow: [
          ...["corepack enable", "cache: pnpm", "pnpm install --frozen-lockfile", "pnpm run check", "pnpm test"],
          ...["pnpm run build", "pnpm exec colonnade publish"],
        ],
        packageManager: "pnpm@10.34.5",
        settings: ["pnpm-workspace.yaml", 'allowBuilds:\n  "@swc/core": false\n'],
      },
    ],
    [
      "yarn/1.22.22 npm/? node/v20.20.2 linux x64",
      {
        steps: "yarn install\n  yarn test\n  yarn colonnade build\n",
        readme: "yarn run check ",
        workflow: ["corepack enable", "cache: yarn", "yarn install --frozen-lockfile", "yarn colonnade publish"],
        packageManager: "yarn@1.22.22",
      },
    ],
    [
      "yarn/4.18.1 npm/? node/v20.20.2 linux x64",
      {
        steps: "yarn install\n  yarn test\n  yarn colonnade build\n",
        readme: "yarn run check ",
        workflow: ["corepack enable", "yarn install --immutable"],
        packageManager: "yarn@4.18.1",
        settings: [".yarnrc.yml", "nodeLinker: node-modules\n"],
      },
    ],
  ])("%s", async (agent, { steps, readme, workflow, packageManager, settings }) => {
    const folder = await temporaryFolder();
    const { out } = await runSection(folder, ["new", "hello"], { npm_config_user_agent: agent });
    const read = (file: string): Promise<string | undefined> =>
      readFile(path.join(folder, "hello", file), "utf8").catch(() => undefined);
    expect(out).toContain(steps);
    expect(await read("README.md")).toContain(readme);
    const ci = await read(".github/workflows/ci.yml");
    for (const command of workflow) expect(ci).toContain(command);
    if (packageManager) expect(ci).not.toMatch(/\bnpm\b/);
    expect(JSON.parse((await read("package.json")) ?? "")).toMatchObject(packageManager ? { packageManager } : {});
    const files = [".yarnrc.yml", "pnpm-workspace.yaml"];
    for (const file of files) expect(await read(file)).toBe(file === settings?.[0] ? settings[1] : undefined);
  });
});

test.each([
  ["pnpm/10.34.5", { "pnpm-workspace.yaml": 'packages: ["sections/*"]\n' }],
  ["yarn/4.18.1", { "package.json": '{ "workspaces": ["sections/*"] }' }],
])("a new section in a workspace of %s leaves the settings to its root", async (agent, files) => {
  const folder = await temporaryFolder();
  await writeFiles(folder, { ...files, "sections/README.md": "" });
  const sections = path.join(folder, "sections");
  await runSection(sections, ["new", "hello"], { npm_config_user_agent: agent });
  const created = await readdir(path.join(sections, "hello"));
  expect(created).not.toContain("pnpm-workspace.yaml");
  expect(created).not.toContain(".yarnrc.yml");
  expect(await readFile(path.join(sections, "hello/package.json"), "utf8")).not.toContain("packageManager");
});

test("the folder may exist if it is empty", async () => {
  const folder = await temporaryFolder();
  await writeFiles(folder, { "hello/taken": "" });
  expect(await runSection(folder, ["new", "hello"])).toEqual(
    failure(`${path.join(folder, "hello")} is not empty; expected an empty folder or none`),
  );
  await rm(path.join(folder, "hello/taken"));
  expect((await runSection(folder, ["new", "hello"])).code).toBe(0);
});

test("the section has the dependency versions of this repository", async () => {
  const folder = await temporaryFolder();
  await runSection(folder, ["new", "hello"]);
  const created = await readManifest(path.join(folder, "hello"));
  const [root, kit, cli, shell] = await Promise.all(
    [ROOT, KIT, CLI, path.join(ROOT, "shell")].map((source) => readManifest(source)),
  );
  expect(created.engines).toEqual(cli?.engines);
  expect(created.dependencies).toEqual({
    "@colonnade/kit": kit?.version,
    react: shell?.dependencies.react,
    "react-dom": shell?.dependencies["react-dom"],
  });
  expect({ ...root?.devDependencies, "@colonnade/cli": cli?.version }).toMatchObject(created.devDependencies);
});

describe("--packages", () => {
  /** Where a new section gets its packages. */
  async function packagesOf(section: string): Promise<readonly (string | undefined)[]> {
    const { dependencies, devDependencies } = await readManifest(section);
    return [dependencies["@colonnade/kit"], devDependencies["@colonnade/cli"]];
  }

  const PACKED = { "packed/colonnade-kit-0.1.0.tgz": "kit", "packed/colonnade-cli-0.1.0.tgz": "cli" };

  test.each(["packed", "./packed/"])(
    "%s is a folder of packed packages, copied into the section, because a clone has no other",
    async (value) => {
      const folder = await temporaryFolder();
      await writeFiles(folder, { ...PACKED, "packed/colonnade-create-section-0.1.0.tgz": "other" });
      await runSection(folder, ["new", "hello", "--packages", value]);
      const section = path.join(folder, "hello");
      expect(await packagesOf(section)).toEqual([
        "file:vendor/colonnade-kit-0.1.0.tgz",
        "file:vendor/colonnade-cli-0.1.0.tgz",
      ]);
      const files = await readdir(path.join(section, "vendor"));
      expect(files.toSorted()).toEqual(["colonnade-cli-0.1.0.tgz", "colonnade-kit-0.1.0.tgz"]);
      expect(await readFile(path.join(section, "vendor/colonnade-kit-0.1.0.tgz"), "utf8")).toBe("kit");
    },
  );

  test.each(["^0.1.0", "next", ">=0.1.0 <1"])("%s is a version of each", async (value) => {
    const folder = await temporaryFolder();
    await runSection(folder, ["new", "hello", "--packages", value]);
    expect(await packagesOf(path.join(folder, "hello"))).toEqual([value, value]);
  });

  const EXPECTED = "expected a version, or a folder with the packed packages";
  test.each<[string, Files, (folder: string) => string]>([
    [
      "./packed",
      {},
      (folder) => `--packages is "./packed", but ${path.join(folder, "packed")} does not exist; ${EXPECTED}`,
    ],
    [
      "packed/colonnade-kit-0.1.0.tgz",
      PACKED,
      (folder) =>
        `--packages is "packed/colonnade-kit-0.1.0.tgz", but ${path.join(folder, "packed/colonnade-kit-0.1.0.tgz")} is a file; ${EXPECTED}`,
    ],
    [
      "packed",
      { "packed/colonnade-kit-0.1.0.tgz": "" },
      (folder) =>
        `--packages is the folder ${path.join(folder, "packed")}, which has 0 files colonnade-cli-*.tgz; expected one`,
    ],
    [
      "packed",
      { ...PACKED, "packed/colonnade-kit-0.2.0.tgz": "" },
      (folder) =>
        `--packages is the folder ${path.join(folder, "packed")}, which has 2 files colonnade-kit-*.tgz; expected one`,
    ],
  ])("%s with the files %j is rejected", async (value, files, message) => {
    const folder = await temporaryFolder();
    await writeFiles(folder, files);
    expect(await runSection(folder, ["new", "hello", "--packages", value])).toEqual(failure(message(folder)));
    expect(await readdir(folder)).not.toContain("hello");
  });
});

describe("rejects", () => {
  const EXPECTED = 'expected a lowercase letter followed by up to 31 of a-z, 0-9 and "-"';
  test.each([
    [["Hello"], `invalid section name "Hello"; ${EXPECTED}`],
    [["../hello"], `invalid section name "../hello"; ${EXPECTED}`],
    [["shell"], 'the name "shell" is reserved for the shell; expected another name'],
    [
      ["hello", "--at", "hello"],
      'invalid path pattern "hello": it must begin with a slash; set another with --at, such as --at /hello',
    ],
    [
      ["hello", "--at", "/about/:topic"],
      'invalid path pattern "/about/:topic": it has the param ":topic" more than once; set another with --at, such as --at /hello',
    ],
    [
      ["shop", "--at", "/shop/*"],
      'invalid path pattern "/shop/*": the section has a second page below the first one; add a page of this pattern to the section instead; set another with --at, such as --at /hello',
    ],
    [
      ["api"],
      'invalid path pattern "/api": paths under "/api" are reserved for the gateway on every site; set another with --at, such as --at /hello',
    ],
  ])("%j", async (args, message) => {
    const folder = await temporaryFolder();
    expect(await runSection(folder, ["new", ...args])).toEqual(failure(message));
  });

  test.each([
    [[], "missing required argument 'name'"],
    [["hello", "again"], "too many arguments for 'new'. Expected 1 argument but got 2."],
  ])("the arguments %j", async (args, message) => {
    expect(await runSection(await temporaryFolder(), ["new", ...args])).toEqual(argumentFailure("new", message));
  });

  test("a file with the name of the section", async () => {
    const folder = await temporaryFolder();
    await writeFiles(folder, { hello: "" });
    expect(await runSection(folder, ["new", "hello"])).toEqual(
      failure(`cannot create ${path.join(folder, "hello")} (ENOTDIR); expected an empty folder or none`),
    );
  });
});
