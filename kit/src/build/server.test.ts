// Real builds of a small shell and a section, whose modules are then run as a render runs them.
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";

import { build, type Release } from "@colonnade/kit/build";
import { beforeAll, describe, expect, test, vi } from "vitest";

import { helloSection, temporaryFolder, writeFiles, type Files } from "../../fixtures/temporary.js";
import { SERVER_SPECIFIERS, shellServerEntry } from "./server.js";

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const SHELL: Files = {
  "section.config.js":
    'export default { name: "shell", kind: "shell", entry: "./src/main.ts", server: "./src/server.tsx" };',
  "src/main.ts": 'import { version } from "react"; document.title = version;',
  "src/server.tsx": `import { renderToString } from "react-dom/server";
export async function render(section, { path, pattern }) {
  const { page } = await section.pages[pattern]();
  const data = await page.data({ params: { language: decodeURIComponent(path.split("/").at(-1)) } });
  return renderToString(<main>{page.head({ data, site: { brand: "Test" } }).title}</main>);
}`,
};

interface Built {
  readonly folder: string;
  readonly release: Release;
}

/** Builds the shell; for development where it is not looked at what browsers run, which is then not made small. */
async function shellRelease(files: Files = {}, { development = false } = {}): Promise<Built> {
  const folder = await helloSection({ ...SHELL, ...files });
  const { release } = await build(folder, { final: false, development });
  return { folder, release };
}

/** Puts the modules of releases where Node finds them by their specifiers, runs a module beside them, and reads what it prints. */
async function runWith(built: readonly Built[], main: string): Promise<unknown> {
  const place = await temporaryFolder();
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
  await writeFiles(place, files);
  const { stdout } = await promisify(execFile)(process.execPath, [path.join(place, "main.mjs")]);
  return JSON.parse(stdout);
}

test("the entry of a shell's server module names its render and every shared package once", () => {
  expect(shellServerEntry("/shell/src/server.tsx").split("\n")).toEqual([
    'export { render } from "/shell/src/server.tsx";',
    'export * as react from "react";',
    'export * as reactDom from "react-dom";',
    'export * as colonnadeKit from "@colonnade/kit";',
    'export * as reactJsxRuntime from "react/jsx-runtime";',
  ]);
});

describe("the modules of a release", () => {
  let shell: Built;
  let section: Built;
  beforeAll(async () => {
    shell = await shellRelease();
    const folder = await helloSection();
    section = { folder, release: (await build(folder, { final: false })).release };
  });

  test("are the section's one, and the shell's own with one for each shared package", () => {
    expect(section.release.modules).toEqual({ section: "server/index.js" });
    expect(shell.release.modules).toEqual({
      shell: "server/index.js",
      react: "server/react.js",
      "react-dom": "server/reactDom.js",
      "@colonnade/kit": "server/colonnadeKit.js",
      "react/jsx-runtime": "server/reactJsxRuntime.js",
    });
  });

  test("are in the list of files, and import nothing that a render has not", async () => {
    const known = new Set([...Object.keys(shell.release.modules), ...Object.keys(section.release.modules)]);
    for (const { folder, release } of [shell, section]) {
      const files = release.files.map((file) => file.path).filter((file) => /^server\/.*\.js$/.test(file));
      expect(files.toSorted()).toEqual(Object.values(release.modules).toSorted());
      for (const file of files) {
        const text = await readFile(path.join(folder, "release", file), "utf8");
        for (const [, specifier] of text.matchAll(/(?:^|;|\})\s*import\b[^"';]*["']([^"']+)["']/gm))
          expect(known, `${file} imports ${String(specifier)}`).toContain(specifier);
      }
    }
  });

  test("render a section's page together, with one React", async () => {
    const { html, same } = (await runWith(
      [shell, section],
      `import section from "section";
import * as shell from "shell";
import * as react from "react";
import React from "react";
import { jsx } from "react/jsx-runtime";
const html = await shell.render(section, { path: "/hello/Welsh", pattern: "/hello/:language" });
const same = [react.useId === shell.react.useId, React.useId === react.useId, jsx === shell.reactJsxRuntime.jsx];
console.log(JSON.stringify({ html, same }));
`,
    )) as { html: string; same: boolean[] };
    expect(html).toMatch(/^<main>[^<]*Welsh[^<]*<\/main>$/);
    expect(same).toEqual([true, true, true]);
  });

  test("are production's in a build for development, too", async () => {
    const { folder, release } = await shellRelease({}, { development: true });
    const server = await readFile(path.join(folder, "release/server/index.js.LICENSE.txt"), "utf8");
    const scripts = [...release.assets, release.entry].map((file) =>
      readFile(path.join(folder, "release", file), "utf8"),
    );
    const client = (await Promise.all(scripts)).join("\n");
    // The names that React's files say of themselves.
    expect([...new Set(client.match(/\breact\.\w+\.js\b/g))]).toEqual(["react.development.js"]);
    expect([...new Set(server.match(/\breact\.\w+\.js\b/g))]).toEqual(["react.production.js"]);
    expect(release.modules).toEqual(shell.release.modules);
  });

  test("are for the server alone: browsers run the shell's libraries in their order, and then its own script", () => {
    const scripts = [...shell.release.assets, shell.release.entry];
    const names = scripts.map((file) => /^client\/([\w-]+)\.[0-9a-f]{8}\.js$/.exec(file)?.[1]);
    expect(names).toEqual(["runtime", "react-dom", "main"]);
  });
});

test("a shell that names no server module has none, and its pages are left to the browser", async () => {
  const { release } = await shellRelease(
    { "section.config.js": 'export default { name: "shell", kind: "shell", entry: "./src/main.ts" };' },
    { development: true },
  );
  expect(release.modules).toEqual({});
  expect(release.files.some((file) => file.path.startsWith("server/"))).toBe(false);
});

describe("a build is refused", () => {
  test("where the shell's server module cannot be found", async () => {
    await expect(
      shellRelease({
        "section.config.js":
          'export default { name: "shell", kind: "shell", entry: "./src/main.ts", server: "./src/nowhere.tsx" };',
      }),
    ).rejects.toThrow('server is "./src/nowhere.tsx"; expected the path of the shell\'s module that renders');
  });

  test("where it renders nothing", async () => {
    const drawing = shellRelease({ "src/server.tsx": "export const draw = 1;" }, { development: true });
    await expect(drawing).rejects.toThrow(/render/);
  });

  test("where a section names one: its own entry is rendered", async () => {
    const folder = await helloSection({
      "section.config.js": 'export default { name: "hello", entry: "./src/section.ts", server: "./src/section.ts" };',
    });
    await expect(build(folder, { final: false })).rejects.toThrow(
      'server is "./src/section.ts"; expected the path of the shell\'s module that renders',
    );
  });
});

test("every specifier that sections leave out is one of a shell's", () => {
  expect(SERVER_SPECIFIERS).toEqual(["react", "react-dom", "@colonnade/kit", "react/jsx-runtime"]);
});
