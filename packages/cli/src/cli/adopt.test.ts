// Sections that adopt a remote. tests/ship/adopted-remotes.test.ts adopts remotes of the plugins.
import { readFile, rm } from "node:fs/promises";
import path from "node:path";

import type { Release } from "@colonnade/cli";
import { describe, expect, test } from "vitest";

import { runCompiled, runSection } from "../../fixtures/command.js";
import { helloSection, writeFiles, type Files } from "../../fixtures/temporary.js";

const SECTION = `import { definePage, defineSection } from "@colonnade/kit";
import { lazy } from "react";

const page = definePage({
  browserOnly: true,
  data: () => null,
  head: ({ site }) => ({ title: site.brand, description: "What we sell", canonical: "/shop" }),
  fallback: () => <h1>Shop</h1>,
  Component: lazy(() => import("helloShop/App")),
});

export default defineSection({ name: "hello", contract: 1, pages: { "/shop": async () => ({ page }) } });
`;
const CONFIG = `export default { name: "hello", entry: "./section.tsx", build: { remote: "./dist" } };`;
const SINGLETON = { singleton: true, requiredVersion: "^19.0.0" };
const MANIFEST = {
  name: "helloShop",
  metaData: {
    remoteEntry: { name: "remoteEntry.js", path: "", type: "global" },
    globalName: "helloShop",
    publicPath: "auto",
  },
  shared: [
    { name: "react", ...SINGLETON },
    { name: "react-dom", ...SINGLETON },
    { name: "date-fns", singleton: false, requiredVersion: "^4.0.0" },
  ],
  remotes: [],
  exposes: [{ path: "./App" }],
};
const ENTRY = "var helloShop = {};";

/** A section with a built remote in `dist/`. */
function adoptingSection(manifest: object = MANIFEST, files: Files = {}): Promise<string> {
  return helloSection({
    "section.config.js": CONFIG,
    "section.tsx": SECTION,
    "dist/mf-manifest.json": JSON.stringify(manifest),
    "dist/remoteEntry.js": ENTRY,
    ...files,
  });
}

test("the release has the section, and the files of the remote that browsers load", async () => {
  const folder = await adoptingSection(MANIFEST, {
    "dist/assets/app.css": "body { color: red } @keyframes show { from { opacity: 0 } } .a { animation: show 1s }",
    "dist/index.html": "<p>The remote's own site</p>",
    "dist/remoteEntry.js.map": "{}",
    "dist/mf-stats.json": "{}",
    "dist/@mf-types.zip": "",
    "dist/.vite/manifest.json": "{}",
  });
  const { code, out, err } = await runCompiled(folder, ["build", "--final"]);
  expect({ code, err }).toEqual({ code: 0, err: "" });
  expect(out).toMatch(/^built hello@0\.1\.0: \d+ files/);

  const read = (file: string): Promise<string> => readFile(path.join(folder, "release", file), "utf8");
  const release = JSON.parse(await read("release.json")) as Release;
  const files = release.files.map((file) => file.path);
  expect(files.filter((file) => file.startsWith("client/remote/"))).toEqual([
    "client/remote/assets/app.css",
    "client/remote/mf-manifest.json",
    "client/remote/remoteEntry.js",
  ]);
  expect(release.pages).toEqual([{ pattern: "/shop", assets: [], paths: [], browserOnly: true }]);
  expect(release.shared).toMatchObject({ react: "^19.3.1", "react-dom": "^19.3.1" });
  expect(release.needsFederationRuntime).toBe(false);
  expect(await read("client/remote/assets/app.css")).toBe(
    ":where(.hello_scope) { color: red } @keyframes hello_show { from { opacity: 0 } } " +
      ":where(.hello_scope) .a { animation: hello_show 1s }",
  );
  const { digest } = release.files.find((file) => file.path.endsWith("remoteEntry.js")) ?? {};
  const container = await read(release.entry);
  expect(container).toContain('"/assets/hello/0.1.0/remote/remoteEntry.js"');
  expect(container).toContain(`"${String(digest)}"`);

  // Its inputs include the remote.
  await writeFiles(folder, { "dist/remoteEntry.js": `${ENTRY} // changed` });
  const published = await runSection(folder, ["publish"]);
  expect(published.err).toContain("run `colonnade build --final` first");
});

test("the release needs the versions that both the section and the remote support", async () => {
  const shared = [
    { name: "react", singleton: true, requiredVersion: "19.3.1" },
    { name: "react-dom", singleton: true, requiredVersion: "~19.2.0 || >=19.3.0" },
  ];
  const folder = await adoptingSection({ ...MANIFEST, shared }, { "dist/remoteEntry.js": "_FEDERATION_RUNTIME_CORE" });
  expect(await runCompiled(folder, ["build"])).toMatchObject({ code: 0 });
  const release = JSON.parse(await readFile(path.join(folder, "release/release.json"), "utf8")) as Release;
  expect(release.shared).toMatchObject({ react: "19.3.1", "react-dom": "^19.3.1" });
  expect(release.needsFederationRuntime).toBe(true);
});

test("check and build know the remote that a command builds", async () => {
  const folder = await adoptingSection(MANIFEST, {
    "section.config.js": CONFIG.replace('"./dist"', '"dist", command: "node remote.js"'),
    "remote.js": 'import { cpSync } from "node:fs";\ncpSync("built", "dist", { recursive: true });\n',
    "built/remoteEntry.js": `${ENTRY} // built`,
  });
  expect(await runCompiled(folder, ["check"])).toEqual({ code: 0, out: "hello follows the rules\n", err: "" });
  expect(await readFile(path.join(folder, "dist/remoteEntry.js"), "utf8")).toBe(`${ENTRY} // built`);
});

test("without a remote, the build says what a module of a remote needs", async () => {
  const folder = await adoptingSection(MANIFEST, {
    "section.config.js": CONFIG.replace(', build: { remote: "./dist" }', ""),
  });
  const { code, err } = await runCompiled(folder, ["build"]);
  expect(code).toBe(3);
  expect(err).toContain(
    'A module that an existing remote exposes needs `build: { remote: "dist" }` in section.config.js.',
  );
});

test("an import of a module that the remote does not expose does not compile", async () => {
  const folder = await adoptingSection(MANIFEST, {
    "section.tsx": SECTION.replace("helloShop/App", "helloShop/Card"),
  });
  const { code, err } = await runCompiled(folder, ["build"]);
  expect(code).toBe(3);
  expect(err).toContain('the remote "helloShop" exposes no ./Card; expected one of ./App');
});

function withMetaData(metaData: object): object {
  return { ...MANIFEST, metaData: { ...MANIFEST.metaData, ...metaData } };
}

function withShared(name: string, shared: object): object {
  return { ...MANIFEST, shared: [{ name, ...SINGLETON, ...shared }] };
}

const REMOTE = "dist/mf-manifest.json";

describe("a remote is refused", () => {
  test.each([
    ["another file", {}, "no name or metaData.remoteEntry; expected the manifest of a remote"],
    [
      "another name",
      { ...MANIFEST, name: "shop" },
      'name is "shop"; expected the section\'s name, "hello", or that and a suffix',
    ],
    [
      "a public path of one host",
      withMetaData({ publicPath: "https://shop.example/" }),
      'the public path is "https://shop.example/"; expected output.publicPath: "auto" (webpack and Rspack) or base: "./" (Vite)',
    ],
    ["no public path", withMetaData({ publicPath: undefined, getPublicPath: "x" }), "the public path is undefined"],
    [
      "a container of Node.js",
      withMetaData({ remoteEntry: { ...MANIFEST.metaData.remoteEntry, type: "commonjs-module" } }),
      'metaData.remoteEntry.type is "commonjs-module"; expected "global", "var", "module" or "esm"',
    ],
    [
      "the name of a section",
      { ...MANIFEST, name: "hello_shop" },
      'name is "hello_shop"; expected the section\'s name, "hello", or that and a suffix with an upper-case first letter',
    ],
    ["a number as its name", { ...MANIFEST, name: 5 }, "name is not a string; expected the manifest of a remote"],
    [
      "a global of the browser",
      withMetaData({ globalName: "location" }),
      'metaData.globalName is "location"; expected the section\'s name, "hello", or that and a suffix',
    ],
    ["no metadata", { ...MANIFEST, metaData: null }, "metaData is not an object; expected the manifest of a remote"],
    ["no entry", withMetaData({ remoteEntry: null }), "metaData.remoteEntry is not an object"],
    [
      "an entry at a number",
      withMetaData({ remoteEntry: { name: "a.js", path: 5 } }),
      "metaData.remoteEntry.path is not a",
    ],
    ["no object as exposed module", { ...MANIFEST, exposes: [null] }, "exposes is not a list of objects"],
    ["an object of exposed modules", { ...MANIFEST, exposes: {} }, "exposes is not a list of objects"],
    ["an exposed module at a number", { ...MANIFEST, exposes: [{ path: 5 }] }, "exposes[].path is not a string"],
    ["no object as shared package", { ...MANIFEST, shared: [null] }, "shared is not a list of objects"],
    ["no object as remote", { ...MANIFEST, remotes: [null] }, "remotes is not a list of objects"],
    ["no exposed module", { ...MANIFEST, exposes: [] }, "the remote exposes no module; expected `exposes`"],
    [
      "remotes of its own",
      { ...MANIFEST, remotes: [{ alias: "cart", entry: "https://cart.example/mf-manifest.json" }] },
      'the remote loads others: "cart" (https://cart.example/mf-manifest.json); expected none: a document shows',
    ],
    [
      "React that is no singleton",
      withShared("react", { singleton: false }),
      'the remote shares react, but not as a singleton; expected shared: { "react": { singleton: true } }',
    ],
    [
      "another React",
      withShared("react-dom", { requiredVersion: "^18.2.0" }),
      'the remote needs react-dom "^18.2.0"; expected a range with 19.3.1',
    ],
    ["a tag", withShared("react", { requiredVersion: "latest" }), 'the remote needs react "latest"'],
    [
      "another kit",
      withShared("@colonnade/kit", { requiredVersion: "^9.0.0" }),
      'the remote needs @colonnade/kit "^9.0.0"',
    ],
  ])("if its manifest has %s", async (_, manifest, problem) => {
    const folder = await adoptingSection(manifest);
    const { code, err } = await runSection(folder, ["build"]);
    expect(code).toBe(2);
    expect(err).toContain(`error: ${path.join(folder, REMOTE)}: ${problem}`);
  });

  test.each([
    [
      "style-loader",
      { "dist/main.js": `throw Error("Couldn't find a style target.")` },
      "main.js: style-loader creates <style> elements, which the site's policy blocks; expected stylesheets",
    ],
    [
      "a development build",
      { "dist/main.js": String.raw`eval("{}//# sourceURL=webpack-internal:///./src/App.jsx")` },
      "main.js: a development build calls eval(), which the site's policy blocks; expected a production build",
    ],
    [
      "React of its own",
      { "dist/vendor.js": "e.__CLIENT_INTERNALS_DO_NOT_USE_OR_WARN_USERS_THEY_CANNOT_UPGRADE=t" },
      'vendor.js contains react, which the remote does not share; expected shared: { "react": { singleton: true } }',
    ],
    [
      "chunks that other remotes can find",
      { "dist/1.js": '"use strict";(self.rspackChunk=self.rspackChunk||[]).push([[1],{}])' },
      'the global variable "rspackChunk", where those of another remote can be too; set output.uniqueName: "hello" in the',
    ],
    [
      "chunks by another name",
      { "dist/1.js": '(self["chunks"] ||= []).push([[1], {}])' },
      'variable "chunks", where those of another remote can be too; set output.uniqueName: "hello" in the remote\'s webpack ' +
        "or Rspack configuration, and no output.chunkLoadingGlobal",
    ],
    ["a broken stylesheet", { "dist/a.css": "a { color" }, "a.css is not a stylesheet: CssSyntaxError"],
  ])("with %s", async (_, files: Files, problem) => {
    const folder = await adoptingSection({ ...MANIFEST, shared: [] }, files);
    const { code, err } = await runSection(folder, ["build"]);
    expect(code).toBe(2);
    expect(err).toContain(`error: ${path.join(folder, "dist")}/`);
    expect(err).toContain(problem);
  });

  test("without its manifest: the error names the options of the three plugins", async () => {
    const folder = await adoptingSection();
    await rm(path.join(folder, REMOTE));
    const { code, err } = await runSection(folder, ["build"]);
    expect(code).toBe(2);
    expect(err).toBe(
      `error: ${path.join(folder, REMOTE)} does not exist; build the remote with ModuleFederationPlugin({ manifest: true }) ` +
        "of @module-federation/enhanced/webpack or @module-federation/enhanced/rspack, or federation({ manifest: true }) of " +
        "@module-federation/vite\n",
    );
  });

  test("without its entry, or with a manifest that is not JSON", async () => {
    const folder = await adoptingSection();
    await rm(path.join(folder, "dist/remoteEntry.js"));
    const { err } = await runSection(folder, ["build"]);
    expect(err).toBe(`error: ${path.join(folder, "dist/remoteEntry.js")} does not exist; build the remote again\n`);
    await writeFiles(folder, { [REMOTE]: "<!doctype html>" });
    expect((await runSection(folder, ["build"])).err).toContain(`${path.join(folder, REMOTE)} is not JSON`);
  });
});

/** What webpack writes: in the entry, and in a chunk. */
function chunksOf(uniqueName: string): Files {
  const name = `self["webpackChunk${uniqueName}"]`;
  return {
    "dist/remoteEntry.js": `${ENTRY} const chunkLoadingGlobal = ${name} = ${name} || []; dataLayer = self.dataLayer || [];`,
    "dist/1.js": `(${name} = ${name} || []).push([[1], {}]); (self.dataLayer = self.dataLayer || []).push(["event"]);`,
  };
}

test("two remotes with the same unique name cannot both be adopted", async () => {
  const other = {
    "section.config.js": CONFIG.replace("hello", "hello-shop"),
    "section.tsx": SECTION.replace('name: "hello"', 'name: "hello-shop"').replace("helloShop", "hello_shop"),
  };
  const manifest = { ...MANIFEST, name: "hello_shop", metaData: { ...MANIFEST.metaData, globalName: "hello_shop" } };
  for (const [uniqueName, code, otherCode] of [
    ["_acme_remote", 2, 2],
    ["hello_shop", 2, 0],
    ["helloShop", 0, 2],
    ["hello", 0, 2],
  ] as const) {
    const folders = [
      await adoptingSection(MANIFEST, chunksOf(uniqueName)),
      await adoptingSection(manifest, { ...chunksOf(uniqueName), ...other }),
    ];
    const codes: (number | null)[] = [];
    for (const folder of folders) codes.push((await runCompiled(folder, ["build"])).code);
    expect({ uniqueName, codes }).toEqual({ uniqueName, codes: [code, otherCode] });
  }
});
