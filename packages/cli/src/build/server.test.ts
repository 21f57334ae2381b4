// Builds a small shell and a section, and runs their server modules.
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";

import { build, type Release } from "@colonnade/cli";
import { TEST_SITE } from "@colonnade/kit/testing";
import * as tar from "tar";
import { beforeAll, describe, expect, test } from "vitest";
import type { Configuration } from "webpack";

import { helloSection, temporaryFolder, writeFiles, type Files } from "../../fixtures/temporary.js";
import { loadConfig } from "./config.js";
import { DEVELOPMENT_SHELL } from "./developmentShell.js";
import { SERVER_SPECIFIERS, shellServerEntry } from "./server.js";
import { identify } from "./version.js";
import { shellServerConfiguration } from "./webpack.js";

const SHELL: Files = {
  "section.config.js": `export default {
    name: "shell", kind: "shell", entry: "./src/shell.tsx", facts: { company: "string" }, meta: { rating: "general" },
  };`,
  "src/shell.tsx": `import { createShell } from "@colonnade/shell";
const Failed = ({ retry }) => <button onClick={() => void retry()}>Try again</button>;
export default createShell({
  Frame: ({ children }) => <main id="main" tabIndex={-1}>{children}</main>,
  Loading: () => <p>Loading…</p>,
  NotFound: ({ heading }) => <h1>{heading}</h1>,
  Failed,
  Offline: Failed,
});`,
};

interface BuiltPackage {
  readonly folder: string;
  readonly release: Release;
}

/** Builds the shell. Development builds are faster, because they skip minification. */
async function shellRelease(files: Files = {}, { development = false } = {}): Promise<BuiltPackage> {
  const folder = await helloSection({ ...SHELL, ...files });
  const { release } = await build(folder, { final: false, development });
  return { folder, release };
}

/** The configuration of the shell's server module in development mode. */
async function developmentServer(folder: string): Promise<Configuration> {
  const mode = { final: false, development: true };
  const config = await loadConfig(folder);
  const identity = await identify(folder, config, mode);
  return shellServerConfiguration({ folder, output: folder, config, identity, installed: {}, mode }, "");
}

/** Installs the server modules of releases as packages, runs a module that imports them, and parses its output. */
async function runWith(built: readonly BuiltPackage[], main: string): Promise<unknown> {
  const workspace = await temporaryFolder();
  const files: Record<string, string> = { "main.mjs": main };
  const exports: Record<string, Record<string, string>> = {};
  for (const { folder, release } of built) {
    for (const [specifier, file] of Object.entries(release.modules)) {
      const name = /^(@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? "";
      const target = `.${specifier.slice(name.length)}/index.js`;
      files[path.join("node_modules", name, target)] = await readFile(path.join(folder, "release", file), "utf8");
      exports[name] = { ...exports[name], [`.${specifier.slice(name.length)}`]: target };
    }
  }
  for (const name of Object.keys(exports))
    files[`node_modules/${name}/package.json`] = JSON.stringify({ type: "module", exports: exports[name] });
  await writeFiles(workspace, files);
  const { stdout } = await promisify(execFile)(process.execPath, [path.join(workspace, "main.mjs")]);
  return JSON.parse(stdout);
}

test("the server entry exports render and the shared packages", () => {
  expect(shellServerEntry("/shell/src/shell.tsx").split("\n")).toEqual([
    'import { createRender } from "@colonnade/shell/server";',
    'import shell from "/shell/src/shell.tsx";',
    "export const render = createRender(shell);",
    'export * as react from "react";',
    'export * as reactDom from "react-dom";',
    'export * as colonnadeKit from "@colonnade/kit";',
    'export * as reactJsxRuntime from "react/jsx-runtime";',
  ]);
});

describe("the modules of a release", () => {
  let shell: BuiltPackage;
  let section: BuiltPackage;
  beforeAll(async () => {
    shell = await shellRelease();
    const folder = await helloSection();
    section = { folder, release: (await build(folder, { final: false })).release };
  });

  test("include one module per shared package in the shell's release", () => {
    expect(section.release.modules).toEqual({ section: "server/index.js" });
    expect(shell.release.modules).toEqual({
      shell: "server/index.js",
      react: "server/react.js",
      "react-dom": "server/reactDom.js",
      "@colonnade/kit": "server/colonnadeKit.js",
      "react/jsx-runtime": "server/reactJsxRuntime.js",
      "@colonnade/kit/html/parser": "server/shared/@colonnade+kit+html+parser.js",
      "./@colonnade+kit+html+parser.js": "server/shared/@colonnade+kit+html+parser.js",
      "./runtime.js": "server/shared/runtime.js",
    });
  });

  test("are listed as files and import only known specifiers", async () => {
    const known = new Set([...Object.keys(shell.release.modules), ...Object.keys(section.release.modules)]);
    for (const { folder, release } of [shell, section]) {
      const files = release.files.map((file) => file.path).filter((file) => /^server\/.*\.js$/.test(file));
      expect(files.toSorted()).toEqual([...new Set(Object.values(release.modules))].sort());
      for (const file of files) {
        const text = await readFile(path.join(folder, "release", file), "utf8");
        for (const [, specifier] of text.matchAll(/(?:^|;|\})\s*import\b[^"';]*["']([^"']+)["']/gm))
          expect(known, `${file} imports ${String(specifier)}`).toContain(specifier);
      }
    }
  });

  test("render a section's page with a single React instance", async () => {
    const { html, same } = (await runWith(
      [shell, section],
      `import section from "section";
import * as shell from "shell";
import * as react from "react";
import React from "react";
import { jsx } from "react/jsx-runtime";
const page = { section: "hello", pattern: "/hello/:language" };
const { html } = await shell.render(section, { path: "/hello/Welsh", page, site: ${JSON.stringify(TEST_SITE)} });
const same = [react.useId === shell.react.useId, React.useId === react.useId, jsx === shell.reactJsxRuntime.jsx];
console.log(JSON.stringify({ html, same }));
`,
    )) as { html: string; same: boolean[] };
    expect(html).toMatch(/<main id="main" tabindex="-1">.*Welsh/);
    expect(same).toEqual([true, true, true]);
  });

  test("use React's production build, and only browsers of the development variant another one", async () => {
    const client = path.join(shell.folder, "release/client");
    let scripts = "";
    await tar.list({
      file: path.join(client, DEVELOPMENT_SHELL),
      filter: (name) => /client\/.*\.js$/.test(name),
      onReadEntry: (entry) => entry.on("data", (text) => (scripts += String(text))),
    });
    const license = await readFile(path.join(shell.folder, "release/server/index.js.LICENSE.txt"), "utf8");
    // File names in React's own comments.
    const namesIn = (text: string): string[] => [...new Set(text.match(/\breact\.\w+\.js\b/g))];
    expect([namesIn(scripts), namesIn(license)]).toEqual([["react.development.js"], ["react.production.js"]]);
    const { mode, optimization } = await developmentServer(shell.folder);
    expect([mode, optimization?.nodeEnv]).toEqual(["production", undefined]);
  });

  test("come with the facts that the shell reads, and its meta tags", () => {
    expect(shell.release).toMatchObject({
      facts: { company: "string" },
      meta: [{ name: "rating", content: "general" }],
    });
  });

  test("are not loaded by browsers", () => {
    const scripts = [...shell.release.assets, shell.release.entry];
    const names = scripts.map((file) => /^client\/([\w-]+)\.[0-9a-f]{8}\.js$/.exec(file)?.[1]);
    expect(names).toEqual(["runtime", "react-dom", "main"]);
  });
});

test("a shell's entry module without a default export fails the build", async () => {
  const building = shellRelease({ "src/shell.tsx": "export const shell = 1;" }, { development: true });
  await expect(building).rejects.toThrow("src/shell.tsx does not export default");
});

test("the shell provides every specifier that sections externalize", () => {
  expect(SERVER_SPECIFIERS).toEqual(["react", "react-dom", "@colonnade/kit", "react/jsx-runtime"]);
});
