// Packages that a shell shares besides React and the kit, and sections that take them from it.
import { readFile } from "node:fs/promises";
import path from "node:path";
import { pathToFileURL } from "node:url";
import vm from "node:vm";

import { build, UsageError, type Release } from "@colonnade/cli";
import { beforeAll, expect, test, vi } from "vitest";

import { jsonResponse } from "../../fixtures/admin.js";
import { admin, runCompiled } from "../../fixtures/command.js";
import { pageSource } from "../../fixtures/lab.js";
import { helloSection, writeFiles, type Files } from "../../fixtures/temporary.js";
import { siteRanges } from "./shared.js";

function packageFiles(name: string, version: string, files: Files): Files {
  const manifest = JSON.stringify({ name, version, type: "module", exports: { ".": "./index.js", "./*": "./*.js" } });
  const contents = { "package.json": manifest, ...files };
  return Object.fromEntries(Object.entries(contents).map(([file, text]) => [`node_modules/${name}/${file}`, text]));
}

const LONG = JSON.stringify("languages ".repeat(10));
/** `schema` has a namespace with values of its own, a reserved word, and a state that `forms` shares with it. */
const PACKAGES: Files = {
  ...packageFiles("schema", "4.1.0", {
    "index.js": `export * from "./core.js"; export * as languages from "./languages.js"; import * as s from "./all.js";
      const nothing = () => null; export const count = 1;
      export { nothing as null, s, s as default };`,
    "all.js": `export * from "./core.js"; export * as languages from "./languages.js";
      import { add } from "./core.js"; export const all = () => add("all");
      export const count = 2; export let current;`,
    "core.js": "const names = []; export const add = (name) => { names.push(name); return names; };",
    "languages.js": `export const de = ${LONG};`,
    "mini.js": "export const mini = 1;",
  }),
  ...packageFiles("forms", "2.0.0", {
    "index.js": 'import { add } from "schema"; export const form = () => add("forms");',
  }),
  // A package with a copy of another version.
  ...packageFiles("legacy", "1.0.0", { "index.js": 'export { old } from "schema";' }),
  ...packageFiles("legacy/node_modules/schema", "3.0.0", { "index.js": 'export const old = () => "schema 3";' }),
};

/** Copies the example section to a folder from which the packages resolve. */
async function packageWith(files: Files): Promise<string> {
  const folder = await helloSection(files);
  await writeFiles(path.dirname(folder), PACKAGES);
  return folder;
}

const manifest = (dependencies: object): string =>
  JSON.stringify({ name: "hello", version: "0.1.0", type: "module", dependencies });

const SECTION = { kind: "section" } as const;
const PARSER = "@colonnade/kit/html/parser";

test("a section accepts the site's version in its range of package.json", async () => {
  const cases: [range: string, version: string, expected: object][] = [
    ["^4.0.0", "4.0.1", { accepted: { schema: "^4.0.0" }, refused: {} }],
    ["~4.1", "4.2.0", { accepted: {}, refused: { schema: "~4.1" } }],
    ["^3.0.0 || ^4.0.0", "4.0.0", { accepted: { schema: "^3.0.0 || ^4.0.0" }, refused: {} }],
    // Compatible with the installed version.
    ["workspace:*", "4.1.7", { accepted: { schema: "^4.1.0" }, refused: {} }],
    ["*", "4.0.9", { accepted: {}, refused: { schema: "^4.1.0" } }],
  ];
  for (const [range, version, expected] of cases) {
    const folder = await packageWith({ "package.json": manifest({ schema: range }) });
    expect([range, siteRanges(folder, SECTION, { schema: version })]).toEqual([range, expected]);
  }
  const folder = await packageWith({ "package.json": manifest({ schema: "^4.0.0", react: "19.3.1" }) });
  const versions = { forms: "2.0.0", react: "18.0.0", "schema/mini": "4.0.0", [PARSER]: "0.3.0" };
  expect(siteRanges(folder, SECTION, versions)).toEqual({ accepted: { "schema/mini": "^4.0.0" }, refused: {} });
});

test.each([
  ["kind: 'section', name: 'hello', shared: ['schema']", "shared is only for a shell"],
  ["shared: [1]", "shared is [1]; expected a list of packages"],
  ["shared: [{ name: 'schema' }]", 'shared is [{"name":"schema"}]; expected a list of packages'],
  ["shared: ['schema', 'schema']", "shared lists a package twice"],
  ["shared: ['react/jsx-runtime']", 'shared has "react/jsx-runtime"; expected other packages: every shell shares it'],
  ["shared: ['absent']", "absent is not installed; run npm install"],
  ["shared: [{ name: 'schema', omit: ['x'] }]", 'shared omits "x" of schema, which has no such export'],
])("a package with { %s } is refused", async (config, message) => {
  const folder = await packageWith({
    "section.config.js": `export default { kind: "shell", name: "shell", entry: "./src/section.ts", ${config} };`,
  });
  const error: unknown = await build(folder, { final: false }).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(UsageError);
  expect((error as UsageError).message).toContain(message);
});

let shell: { readonly folder: string; readonly release: Release };

beforeAll(async () => {
  const folder = await packageWith({
    "section.config.js": `export default { name: "shell", kind: "shell", entry: "./src/shell.tsx",
      shared: [{ name: "schema", omit: ["languages"] }, "schema/mini", "forms"] };`,
    "src/shell.tsx": `import { createShell } from "@colonnade/shell"; import { plain } from "@colonnade/shell/plain";
      export default createShell(plain);`,
  });
  shell = { folder, release: (await build(folder, { final: false, development: true })).release };
});

test("the shell's release lists each shared package with its files", async () => {
  const { folder, release } = shell;
  expect(release.shared).toMatchObject({ schema: "4.1.0", "schema/mini": "4.1.0", forms: "2.0.0", [PARSER]: "0.1.0" });
  expect(release.omittedExports).toEqual({ schema: ["default.languages", "languages", "s.languages"] });
  const scripts = release.files.filter(({ path: file }) => file.endsWith(".js")).map(({ path: file }) => file);
  const assets = Object.values(release.sharedAssets ?? {});
  expect(Object.keys(release.sharedAssets ?? {})).toEqual(["schema", "schema/mini", "forms"]);
  for (const files of assets) expect(scripts).toEqual(expect.arrayContaining([...files]));
  expect(assets.flat()).not.toContain(release.entry);
  // The server modules of both packages have one state, and each has what the package exports.
  const load = async (name: string): Promise<Record<string, (() => unknown) | object>> =>
    (await import(pathToFileURL(path.join(folder, "release", release.modules[name] ?? "")).href)) as never;
  const [schema, forms] = [await load("schema"), await load("forms")];
  expect(
    Object.keys(schema)
      .filter((name) => !name.startsWith("__webpack"))
      .sort(),
  ).toEqual(["add", "count", "default", "null", "s"]);
  expect(Object.keys(schema.s ?? {}).sort()).toEqual(["add", "all", "count", "current"]);
  expect([schema, schema.s].map((names) => (names as { count: number }).count)).toEqual([1, 2]);
  expect([schema.default === schema.s, (schema.s as typeof schema).add === schema.add]).toEqual([true, true]);
  expect((forms.form as () => unknown)()).toBe((schema.add as (name: string) => unknown)("x"));
});

/** Builds the example section with a page that imports the packages. */
async function sectionWith(dependencies: object, code: string): Promise<string> {
  return packageWith({
    "package.json": manifest({ "@colonnade/kit": "0.1.0", react: "19.3.1", ...dependencies }),
    "src/section.ts": `import { defineSection } from "@colonnade/kit";
      export default defineSection({ name: "hello", contract: 1, pages: {
        "/hello": () => import("./shared"), "/hello/plain": () => import("./plain") } });`,
    "src/shared.tsx": pageSource("data: () => use()", `${code}\n`),
    "src/plain.tsx": pageSource("data: () => null"),
  });
}

const target = (omittedExports: Release["omittedExports"]) => ({
  extensionPoints: {},
  policy: {},
  shared: { ...shell.release.shared },
  ...(omittedExports && { omittedExports }),
});

test("a section takes packages of the site and bundles the others", async () => {
  const code = `import { s } from "schema"; import { form } from "forms"; import { old } from "legacy";
    const use = () => [s.add(String(form().length)).length, old()];`;
  const folder = await sectionWith({ schema: "^4.0.0", forms: "^1.0.0" }, code);
  admin.responses = { "GET /api/v1/sections/hello/build-target": jsonResponse(target(shell.release.omittedExports)) };
  const { code: status, err } = await runCompiled(folder, ["build"]);
  expect([status, err]).toEqual([0, ""]);
  const { default: release } = (await import(path.join(folder, "release/release.json"), {
    with: { type: "json" },
  })) as { default: Release };
  expect(release.shared).toMatchObject({ schema: "^4.0.0" });
  expect(release.shared).not.toHaveProperty("forms");
  // The section's copy of `forms` imports the site's package, too.
  expect(release.usedExports).toEqual({ schema: ["add", "s.add"] });
  expect(release.pages.map(({ shared }) => shared)).toEqual([["schema"], undefined]);
  // What a dependency has installed for itself stays its own.
  for (const file of ["server/index.js", ...(release.pages[0]?.assets ?? [])])
    expect(await readFile(path.join(folder, "release", file), "utf8")).toContain("schema 3");
  const { out } = await runCompiled(folder, ["check", "--json"]);
  const { problems, sharing } = JSON.parse(out) as { problems: object[]; sharing: object };
  expect(problems).toMatchObject([{ code: "COL141", severity: "warning", location: "package.json" }]);
  expect(JSON.stringify(problems)).toContain("forms 2.0.0 of http://127.0.0.1");
  expect(sharing).toMatchObject({ packages: ["schema"], savedBytes: expect.any(Number) as number });
});

test("a section takes the parser of HTML of every shell, and no page has it in its first view", async () => {
  const code = `import { parseHtml } from "@colonnade/kit/html"; const use = () => parseHtml("<p>a");`;
  const folder = await sectionWith({}, code);
  const { release } = await build(folder, { final: false });
  expect(release.shared).toHaveProperty([PARSER], ">=0.1.0");
  expect(release.pages.map(({ shared }) => shared)).toEqual([undefined, undefined]);
  // The parser has more than 200 KB.
  expect(Math.max(...release.files.map(({ size }) => size))).toBeLessThan(20_000);
  // As little as React, it is no package of the site that the section could bundle.
  const { out } = await runCompiled(folder, ["check", "--json"]);
  expect(JSON.parse(out)).not.toHaveProperty("sharing");
});

/** Runs the container of a section as a page does. Returns its entry module, and the names of the scripts that it has loaded. */
async function loadSection(
  { folder, release }: { folder: string; release: Release },
  packages: Record<string, object>,
) {
  const loaded: string[] = [];
  const run = async (name: string): Promise<void> => {
    vm.runInContext(await readFile(path.join(folder, "release/client", name), "utf8"), page);
  };
  const appendChild = (script: { src: string; onload: (event: object) => void }): void => {
    const name = path.basename(script.src);
    loaded.push(name);
    void run(name).then(() => {
      script.onload({ type: "load" });
    });
  };
  const createElement = (): object => ({ setAttribute: vi.fn() });
  const document = { createElement, getElementsByTagName: () => [], head: { appendChild } };
  const page = vm.createContext({ document, location: { origin: "" }, setTimeout, clearTimeout });
  vm.runInContext("var self = globalThis, window = globalThis", page);
  await run(path.basename(release.entry));
  const container = page[release.container ?? ""] as Container;
  const versions = { ...release.shared, ...shell.release.shared };
  await container.init(
    Object.fromEntries(
      Object.entries(packages).map(([name, module]) => [
        name,
        { [versions[name] ?? ""]: { from: "shell", get: () => Promise.resolve(() => module) } },
      ]),
    ),
  );
  const { default: section } = (await container.get("./section"))();
  return { section, loaded };
}

interface Container {
  readonly init: (scope: object) => Promise<void>;
  readonly get: (
    module: string,
  ) => Promise<() => { readonly default: { pages: Record<string, () => Promise<PageModule>> } }>;
}
interface PageModule {
  readonly page: { readonly data: () => unknown };
}

test("a dynamic import of shared packages gets those of the site without a script", async () => {
  const code = `import { lazy } from "react";
    export const Lazy = lazy(() => import("schema/mini"));
    const use = async () => [(await import("schema")).add("x"), typeof (await import("react-dom")).createPortal];`;
  const folder = await sectionWith({ schema: "^4.0.0" }, code);
  await writeFiles(folder, {
    "section.config.js": `export default { name: "hello", entry: "./src/section.ts", exposes: { "./tag": "./src/tag.ts" } };`,
    "src/tag.ts": 'export const tag = () => import("schema");',
    "src/aside.tsx": `import { defineExtension } from "@colonnade/kit/extensions"; import { lazy } from "react"; import { add } from "schema";
      add("aside");
      const Part = lazy(() => import("schema/mini"));
      export const extension = defineExtension({ data: () => null, Component: () => <Part /> });`,
    "src/section.ts": `import { defineSection } from "@colonnade/kit";
      export default defineSection({ name: "hello", contract: 1, pages: {
        "/hello": () => import("./shared"), "/hello/plain": () => import("./plain") },
        extensions: { "other/aside@1": () => import("./aside") } });`,
  });
  const { release } = await build(folder, { final: false }, undefined, { source: "x", ...target(undefined) });
  expect(release.shared).toMatchObject({ schema: "^4.0.0", "schema/mini": "^4.0.0" });
  expect(release.pages.map(({ shared }) => shared)).toEqual([undefined, undefined]);
  expect(release.extensions?.map(({ shared }) => shared)).toEqual([["schema"]]);
  const { section, loaded } = await loadSection(
    { folder, release },
    {
      "@colonnade/kit": await import("@colonnade/kit"),
      react: await import("react"),
      "react/jsx-runtime": await import("react/jsx-runtime"),
      "react-dom": { createPortal: () => null },
      schema: { add: (name: string) => [name] },
    },
  );
  const page = await section.pages["/hello"]?.();
  const before = [...loaded];
  expect(await page?.page.data()).toEqual([["x"], "function"]);
  expect(loaded).toEqual(before);
});

test("a section bundles a package of which the site omits an export that it uses", async () => {
  const folder = await sectionWith(
    { schema: "^4.0.0" },
    'import { s } from "schema"; const use = () => String(s.languages.de);',
  );
  admin.responses = { "GET /api/v1/sections/hello/build-target": jsonResponse(target(shell.release.omittedExports)) };
  const { out } = await runCompiled(folder, ["check", "--json"]);
  expect(out).toContain("the section uses the export s.languages.de of schema, which http://127.0.0.1");
  const { release } = await build(folder, { final: false }, undefined, {
    source: "x",
    ...target({ schema: ["s.languages"] }),
  });
  expect(release.shared).not.toHaveProperty("schema");
  expect(release).not.toHaveProperty("usedExports");
  // A shell that omits less changes the files of the section, although the section has not changed.
  const versionWith = async (omittedExports: Release["omittedExports"]): Promise<string> => {
    const site = { source: "x", ...target(omittedExports) };
    return (await build(folder, { final: false }, undefined, site)).release.version;
  };
  expect(await versionWith({ schema: ["s.other"] })).not.toBe(release.version);
  expect(await versionWith({ schema: ["s.languages"] })).toBe(release.version);
});
