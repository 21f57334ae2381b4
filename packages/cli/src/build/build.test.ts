// Builds the example section through the public exports of the command.
import { createHash } from "node:crypto";
import { cp, readdir, readFile, rm, symlink } from "node:fs/promises";
import type { SourceMapPayload } from "node:module";
import path from "node:path";

import { build, readRelease, UsageError, type BuildResult, type OnStep, type Release } from "@colonnade/cli";
import { beforeAll, describe, expect, test, vi } from "vitest";

import { helloSection, NODE_MODULES, temporaryFolder, writeFiles, type Files } from "../../fixtures/temporary.js";
import { createLocate } from "../cli/locate.js";
import { UNKNOWN_INPUTS } from "./version.js";

function buildOnce(folder: string, onStep?: OnStep): Promise<BuildResult> {
  return build(folder, { final: false }, onStep);
}

/** Contents of the files in a package's release by path, without `release.json` and `inputs.json`. */
async function contentsOf(folder: string): Promise<Map<string, Buffer>> {
  const release = path.join(folder, "release");
  const entries = await readdir(release, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name));
  const contents = new Map<string, Buffer>();
  for (const file of files.toSorted()) {
    const name = path.relative(release, file);
    if (!/^(release|inputs)\.json$/.test(name)) contents.set(name, await readFile(file));
  }
  return contents;
}

function textOf(contents: Map<string, Buffer>, file: string | undefined): string {
  const bytes = contents.get(file ?? "");
  if (!bytes) throw new Error(`the release has no file ${String(file)}`);
  return bytes.toString();
}

interface ManifestFiles {
  readonly sync: readonly string[];
  readonly async: readonly string[];
}

/** What the tests read of `mf-manifest.json`. */
interface Manifest {
  readonly shared: readonly { readonly name: string; readonly version: string; readonly requiredVersion: string }[];
  readonly exposes: readonly {
    readonly path: string;
    readonly assets: Readonly<Record<"js" | "css", ManifestFiles>>;
  }[];
}

function endingsOf(files: readonly string[] | undefined): string[] {
  return (files ?? []).map((file) => path.extname(file)).toSorted();
}

const LANGUAGES = await readFile(
  path.join(import.meta.dirname, "../../fixtures/hello/src/pages/languages.tsx"),
  "utf8",
);

/** The example with an extension point and extensions, one of which has a stylesheet of a page. Some editors begin a file with a byte order mark. */
const FILES: Files = {
  "section.config.js": `import { defineConfig } from "@colonnade/cli";
export default defineConfig({
  name: "hello",
  entry: "./src/section.ts",
  facts: { phone: "string" },
  config: { endpoint: "string" },
  exposes: { "./Greeting": "./src/Greeting.tsx" },
});
`,
  "src/section.ts": `\uFEFFimport { defineSection } from "@colonnade/kit";
import { readHelp } from "./help";
globalThis.readHelp = readHelp;
export default defineSection({
  name: "hello",
  contract: 1,
  pages: { "/hello": () => import("./pages/languages"), "/hello/:language": () => import("./pages/greeting") },
  extensions: {
    "shell/join@1": () => import("./join"),
    "hello/aside@1": () => import("./aside"),
    "directory/city-aside@2": () => import("./cityAside"),
  },
});
`,
  "src/points.ts": `import { defineExtensionPoint } from "@colonnade/kit/extensions";
export const aside = defineExtensionPoint({ id: "hello/aside", version: 1, max: 4, examples: [{ count: 1 }, { count: 2 }] });
`,
  "src/pages/languages.tsx": LANGUAGES.replace(
    "import {",
    'import { ExtensionPoint } from "@colonnade/kit/extensions"; import { aside } from "../points";\nimport {',
  )
    .replace("  head:", "extensionPoints: [aside],\n  head:")
    .replace("</h1>", "</h1><ExtensionPoint point={aside} props={{ count: languages.length }} />"),
  "src/aside.tsx": `import { defineExtension } from "@colonnade/kit/extensions";
import css from "./join.module.css";
export const extension = defineExtension({
  order: 20,
  data: ({ props }: { props: { count: number } }) => props,
  Component: ({ data }) => <p className={css.dialog}>{data.count} languages</p>,
});
`,
  "src/cityAside.tsx": `import { defineExtension } from "@colonnade/kit/extensions";
export const extension = defineExtension({ data: () => ({}), Component: () => <p>City</p> });
`,
  "src/join.tsx": `import { defineExtension } from "@colonnade/kit/extensions";
import { readHelp } from "./help";
import page from "./pages/languages.module.css";
import css from "./join.module.css";
import help from "./help.module.css";
const read = () => import("./rules");
export const extension = defineExtension({
  data: () => ({}),
  Component: () => (
    <dialog open className={css.dialog}>
      <button onClick={read}>Join us</button>
      <button className={[page.languages, help.help].join(" ")} onClick={readHelp}>Help</button>
    </dialog>
  ),
});
`,
  "src/help.ts": 'export const readHelp = () => import("./helpText");',
  "src/helpText.ts": 'export { default } from "./help.module.css";',
  "src/help.module.css": ".help { color: var(--color-muted); }",
  "src/rules.ts": `export const RULES = "${"x".repeat(143_200)}";`,
  "src/Greeting.tsx": `import { lazy } from "react";
import css from "./greeting.module.css";
const Map = lazy(() => import("./Map"));
export default ({ name }: { readonly name: string }) => <b className={css.greeting}>Hi, {name} <Map /></b>;
`,
  "src/Map.tsx": `import css from "./map.module.css";
export default () => <i className={css.map}>Map</i>;
`,
  "src/greeting.module.css": ".greeting { color: var(--color-text); }",
  "src/map.module.css": ".map { color: var(--color-muted); }",
  "src/join.module.css": "\uFEFF.dialog { color: var(--color-text); }",
};

let folder: string;
let release: Release;
let contents: Map<string, Buffer>;
const steps: string[] = [];
beforeAll(async () => {
  folder = await helloSection(FILES);
  const result = await buildOnce(folder, (step) => steps.push(step));
  expect(result.built).toBe(true);
  ({ release } = result);
  contents = await contentsOf(folder);
});

/** Copies the built package, including its release. */
async function builtSection(): Promise<string> {
  const copy = path.join(await temporaryFolder(), "hello");
  await cp(folder, copy, { recursive: true });
  return copy;
}

test("a build reports its steps in order", () => {
  expect(steps).toEqual(["bundles", "check"]);
});

describe("a release", () => {
  test("release.json describes the build", async () => {
    expect(JSON.parse(await readFile(path.join(folder, "release/release.json"), "utf8"))).toEqual(release);
    const { version, entry, container, assets, pages, extensions, exposes, files, ...rest } = release;
    expect(rest).toEqual({
      name: "hello",
      kind: "section",
      contract: 1,
      needsFederationRuntime: false,
      styles: [],
      extensionPoints: [{ id: "hello/aside", version: 1, max: 4, examples: [{ count: 1 }, { count: 2 }] }],
      shared: { react: "^19.3.1", "react-dom": "^19.3.1", "@colonnade/kit": ">=0.1.0" },
      facts: { phone: "string" },
      config: { endpoint: "string" },
      modules: { section: "server/index.js" },
      // It has the positions of the examples of points.
      examples: "server/examples.json",
    });
    expect(version).toMatch(/^0\.1\.0-dev\.[0-9a-fx][0-9a-f]{11}$/);
    expect(container).toMatch(/^hello_[0-9a-f]{12}$/);
    expect(entry).toMatch(/^client\/entry\.[0-9a-f]{8}\.js$/);
    expect(assets).toEqual([expect.stringMatching(/^client\/section\.[0-9a-f]{8}\.js$/)]);
    expect(pages).toHaveLength(2);
    expect(extensions).toHaveLength(3);
    expect(exposes).toHaveLength(1);
    expect(files.length).toBeGreaterThan(0);
  });

  test("the manifest lists all files, sorted, with correct metadata", () => {
    expect(release.files.map((file) => file.path)).toEqual([...contents.keys()].toSorted());
    for (const { path: file, size, digest } of release.files) {
      const bytes = contents.get(file) ?? Buffer.alloc(0);
      expect(size, file).toBe(bytes.length);
      expect(digest, file).toBe(`sha384-${createHash("sha384").update(bytes).digest("base64")}`);
    }
    expect(Object.fromEntries(release.files.map((file) => [path.extname(file.path), file.type]))).toEqual({
      ".js": "text/javascript; charset=utf-8",
      ".css": "text/css; charset=utf-8",
      ".json": "application/json",
      ".map": "application/json",
      ".txt": "text/plain; charset=utf-8",
    });
  });

  test("a position in a script for browsers has a source, by a map that no visitor can read", async () => {
    const [file, bytes] = [...contents].find(([, text]) => text.includes("Join us")) ?? [];
    const lines = String(bytes).split("\n");
    const line = lines.findIndex((text) => text.includes("Join us"));
    const position = `${String(file)}:${String(line + 1)}:${String((lines[line]?.indexOf("Join us") ?? 0) + 1)}`;
    const locate = createLocate((_, script) => {
      const map = contents.get(`server/maps/${script}.map`);
      return Promise.resolve(map && (JSON.parse(String(map)) as SourceMapPayload));
    });
    const sourceLine =
      FILES["src/join.tsx"]
        ?.toString()
        .split("\n")
        .findIndex((text) => text.includes("Join us")) ?? 0;
    expect(await locate("hello@1.1.0", position)).toMatch(
      new RegExp(`^src/join\\.tsx:${String(sourceLine + 1)}:\\d+$`),
    );
    expect(String(bytes)).not.toContain("sourceMappingURL");
    expect(release.files.filter((listed) => /^client\/.*\.map$/.test(listed.path))).toEqual([]);
  });

  test("a page lists the extension points that it opens", () => {
    expect(release.pages.map((page) => page.extensionPoints)).toEqual([["hello/aside@1"], undefined]);
  });

  test("a public file lists what it opens and fills, for checks of other sections", () => {
    const { extensionPoints, extensions = [] } = release;
    expect(JSON.parse(String(contents.get("client/extensions.json")))).toEqual({
      extensionPoints,
      extensions: extensions.map(({ point, order }) => ({ point, order })),
    });
  });

  test("a page lists its paths and their indexability", () => {
    expect(release.pages.map(({ pattern, paths }) => ({ pattern, paths }))).toEqual([
      { pattern: "/hello", paths: [{ path: "/hello", indexable: true }] },
      {
        pattern: "/hello/:language",
        paths: [
          { path: "/hello/Dutch", indexable: false },
          { path: "/hello/Te%20Reo%20M%C4%81ori", indexable: false },
          { path: "/hello/Welsh", indexable: false },
        ],
      },
    ]);
  });

  test("a page lists only the assets of its first view", () => {
    const [languages, greeting] = release.pages;
    expect(endingsOf(languages?.assets)).toEqual([".css", ".css", ".js"]);
    expect(endingsOf(greeting?.assets)).toEqual([".css", ".js"]);
    const script = greeting?.assets.find((file) => file.endsWith(".js"));
    expect(textOf(contents, script)).toContain("That is hello in");
    // The greetings are a separate chunk, which only data() imports.
    const words = [...contents].filter(([file, bytes]) => file.startsWith("client/") && bytes.includes("Kia ora"));
    expect(words).toHaveLength(1);
    const named = [release.entry, ...release.assets, ...release.pages.flatMap((page) => page.assets)];
    expect(named).not.toContain(words[0]?.[0]);
  });

  test("a stylesheet is one file; those of a page or extension keep the order of its imports", () => {
    const [page, other, extension] = [...release.pages, ...(release.extensions ?? [])].map(({ assets }) =>
      assets.filter((file) => file.endsWith(".css")),
    );
    const fileOf = (name: string): string => {
      const [file, ...copies] = [...contents].filter(
        ([file, bytes]) => file.endsWith(".css") && bytes.includes(`.hello_${name}_`),
      );
      expect(copies, name).toEqual([]);
      return file?.[0] ?? "";
    };
    // The common code imports the help dynamically. The extension imports its stylesheet itself, last.
    expect(page).toEqual([fileOf("help"), fileOf("languages")]);
    expect(other).toEqual([fileOf("help")]);
    expect(extension).toEqual([fileOf("languages"), fileOf("dialog"), fileOf("help")]);
    // The shell loads stylesheets. Webpack's own loader would be dead code, and knows no digests.
    expect(textOf(contents, release.entry)).not.toMatch(/stylesheet|miniCss/);
  });

  test("scripts have the digests of scripts only: the shell loads stylesheets", () => {
    const scripts = release.files.filter(({ path: file }) => file.endsWith(".js")).map(({ digest }) => digest);
    const digests = [...contents]
      .filter(([file]) => file.startsWith("client/") && file.endsWith(".js"))
      .flatMap(([, bytes]) => String(bytes).match(/sha384-[\w+/]{64}/g) ?? []);
    expect(digests.length).toBeGreaterThan(2);
    expect(digests.filter((digest) => !scripts.includes(digest))).toEqual([]);
  });

  test("the entry defines the container; classes have the name", () => {
    expect(textOf(contents, release.entry)).toMatch(new RegExp(`^var .*\\b${String(release.container)};`, "m"));
    const style = release.pages[0]?.assets.findLast((file) => file.endsWith(".css"));
    expect(textOf(contents, style)).toMatch(/\.hello_languages_[\w-]{5}\{/);
  });

  test("the container has no code that compares versions with ranges, which the gateway does", () => {
    expect(textOf(contents, release.entry)).not.toContain('"not("');
  });

  test("scripts begin with the eager compile hint", () => {
    const scripts = [...contents].filter(([file]) => file.startsWith("client/") && file.endsWith(".js"));
    expect(scripts.length).toBeGreaterThan(2);
    for (const [file, bytes] of scripts) expect(String(bytes), file).toMatch(/^\/\/# allFunctionsCalledOnLoad\n/);
  });

  test("webpack waits 8 s for a chunk and 267 ms for each kilobyte: 30 kbit/s. Small ones count as 30 kB", () => {
    expect(textOf(contents, release.entry)).toMatch(/,8e3\+267\*\(\{\d+:144\}\[\w+\]\|\|30\)\)/);
  });

  test("a release contains neither shared packages, local paths nor the paths of pages", () => {
    const server = textOf(contents, "server/index.js");
    for (const name of ["react/jsx-runtime", "@colonnade/kit"]) expect(server).toMatch(new RegExp(`from ?"${name}"`));
    for (const [file, bytes] of contents) {
      // Strings from the kit and from react-dom.
      expect(bytes.includes(folder), file).toBe(false);
      if (file.endsWith(".map")) continue;
      expect(bytes.includes("was called outside the shell"), file).toBe(false);
      expect(bytes.includes("hydrateRoot"), file).toBe(false);
      expect(String(bytes), file).not.toMatch(/\bpaths: ?\(\)/);
    }
  });
});

test("an extension lists its point, its order and its assets", () => {
  const found = release.extensions?.map(({ assets, ...extension }) => ({ ...extension, assets: endingsOf(assets) }));
  expect(found).toEqual([
    { point: "shell/join@1", order: 0, assets: [".css", ".css", ".css", ".js"] },
    { point: "hello/aside@1", order: 20, assets: [".css", ".css", ".js"] },
    { point: "directory/city-aside@2", order: 0, assets: [".css", ".js"] },
  ]);
  const script = release.extensions?.[1]?.assets.find((file) => file.endsWith(".js"));
  expect(textOf(contents, script)).toContain(" languages");
});

test("an exposed module lists all that it needs: its script, and the stylesheets of its lazy parts", () => {
  const [greeting] = release.exposes ?? [];
  expect(greeting?.name).toBe("./Greeting");
  const [script, ...styles] = greeting?.assets.toSorted((a, b) => path.extname(b).localeCompare(path.extname(a))) ?? [];
  expect(script).toMatch(/^client\/exposed\.Greeting\.[0-9a-f]{8}\.js$/);
  expect(textOf(contents, script)).toContain("Hi, ");
  expect(styles.map((file) => textOf(contents, file)).join("\n")).toMatch(/\.hello_greeting_[^]*\.hello_map_/);
  // Other views are as without it.
  const views = [...release.pages, ...(release.extensions ?? [])].flatMap(({ assets }) => assets);
  expect([...release.assets, ...views].filter((file) => greeting?.assets.includes(file))).toEqual([]);
});

test("mf-manifest.json describes the container to other hosts of Module Federation", () => {
  const manifest = JSON.parse(textOf(contents, "client/mf-manifest.json")) as Manifest;
  const { container = "", entry, version, exposes } = release;
  expect(manifest).toMatchObject({
    id: container,
    name: container,
    metaData: {
      name: container,
      type: "app",
      buildInfo: { buildVersion: version, buildName: "hello" },
      remoteEntry: { name: path.basename(entry), path: "", type: "var" },
      globalName: container,
      publicPath: `/assets/hello/${version}/`,
    },
    remotes: [],
  });
  expect(manifest.shared.map(({ name, version, requiredVersion }) => [name, version, requiredVersion])).toEqual([
    ["react", "19.3.1", "^19.3.1"],
    ["react-dom", "19.3.1", "^19.3.1"],
    ["@colonnade/kit", "0.1.0", ">=0.1.0"],
  ]);
  const [section, greeting] = manifest.exposes;
  expect(section?.path).toBe("./section");
  expect(section?.assets.js.sync).toEqual(release.assets.map((file) => path.basename(file)));
  expect(greeting).toMatchObject({ id: `${container}:Greeting`, name: "Greeting", path: "./Greeting" });
  const { js, css } = greeting?.assets ?? {};
  const files = [...(js?.sync ?? []), ...(css?.sync ?? [])].map((file) => `client/${file}`);
  expect(files.toSorted()).toEqual(exposes?.[0]?.assets.toSorted());
  expect(js?.async).toHaveLength(1);
});

test("pages that share all their code load it by one script each, and their stylesheets once", async () => {
  const section = await helloSection({
    "src/section.ts": `import { defineSection } from "@colonnade/kit";
export default defineSection({
  name: "hello",
  contract: 1,
  pages: { "/hello": () => import("./pages/languages"), "/hello/all": () => import("./pages/all") },
});
`,
    "src/pages/all.tsx": `import { definePage } from "@colonnade/kit";
import { page as languages } from "./languages";
export const page = definePage({ ...languages, paths: () => ["/hello/all"] });
`,
    "src/languages.ts": `import { version } from "react";
export const LANGUAGES = ["Welsh", "${"x".repeat(60_000)}"] as const;
export const greetingPath = (language: string) => "/hello?" + version + language.length;
`,
  });
  const { pages } = (await buildOnce(section)).release;
  const [languages, all] = pages.map(({ assets }) => assets);
  expect(endingsOf(languages)).toEqual([".css", ".js"]);
  expect(endingsOf(all)).toEqual([".css", ".js", ".js"]);
  expect(all).toEqual(expect.arrayContaining([...(languages ?? [])]));
});

describe("a rebuild", () => {
  test("skips an unchanged tree and rebuilds a changed one", async () => {
    const copy = await builtSection();
    const onStep = vi.fn<OnStep>();
    expect(await buildOnce(copy, onStep)).toEqual({ release, built: false, warnings: [] });
    expect(onStep).not.toHaveBeenCalled();

    const file = path.join(copy, "src/languages.ts");
    await writeFiles(copy, { "src/languages.ts": (await readFile(file, "utf8")).replace('"Dutch", ', "") });
    const { release: after, built } = await buildOnce(copy);
    expect(built).toBe(true);
    expect(after.version).not.toBe(release.version);
    expect(after.container).not.toBe(release.container);
    expect(after.pages[1]?.paths).toHaveLength(2);
  });

  test("has the hash of its inputs in each file", () => {
    const hash = release.version.split("-dev.")[1] ?? "";
    expect(textOf(contents, release.entry)).toContain(hash);
    for (const [file, bytes] of contents) expect(bytes.includes(UNKNOWN_INPUTS), file).toBe(false);
  });

  test("is reproducible in another folder and working directory", async () => {
    const copy = await helloSection(FILES);
    const original = process.cwd();
    process.chdir(await temporaryFolder());
    try {
      await buildOnce(copy);
    } finally {
      process.chdir(original);
    }
    expect(await contentsOf(copy)).toEqual(contents);
    expect(await readRelease(path.join(copy, "release"))).toEqual(release);
  });
});

describe("a development build", () => {
  test("fails for a section", async () => {
    await expect(build(await helloSection(), { final: false, development: true })).rejects.toThrow(
      new UsageError("hello is a section; only the shell can be built with --development"),
    );
  });

  test("fails for a final release", async () => {
    const section = await helloSection({
      "section.config.js": 'export default { name: "shell", kind: "shell", entry: "./src/section.ts" };',
    });
    await expect(build(section, { final: true, development: true })).rejects.toThrow(
      new UsageError("--final and --development cannot be combined; pass one of them"),
    );
  });
});

describe("a failed build", () => {
  test("keeps the previous release, and the next build works", async () => {
    const copy = await builtSection();
    const source = await readFile(path.join(copy, "src/greetings.ts"), "utf8");
    await writeFiles(copy, { "src/greetings.ts": "export const GREETINGS = ;" });
    await expect(buildOnce(copy)).rejects.toThrow(UsageError);
    expect(await readRelease(path.join(copy, "release"))).toEqual(release);
    expect(await contentsOf(copy)).toEqual(contents);

    await writeFiles(copy, { "src/greetings.ts": source });
    expect(await buildOnce(copy)).toEqual({ release, built: false, warnings: [] });
  });

  test("locates each import that cannot be resolved", async () => {
    const imports = ["./nowhere", "dayjs", "node:fs", "os", "react/nowhere", "reader", "catalog/section"];
    const text = imports.map((name) => `export * from "${name}";\n`).join("");
    const section = await helloSection({ "src/languages.ts": text });
    // A package of the section that needs Node.js.
    await rm(path.join(section, "node_modules"));
    await symlink(NODE_MODULES, path.join(path.dirname(section), "node_modules"));
    await writeFiles(section, { "node_modules/reader/index.js": 'import "node:path";' });
    const error: unknown = await buildOnce(section).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(UsageError);
    const [, ...problems] = (error as UsageError).message.split("\n\n").map((problem) =>
      problem
        .split("\n")
        .filter((line) => !/^[ >] +\d* \|/.test(line))
        .join("\n"),
    );
    const help =
      "Neither browsers nor the gateway have modules of Node.js. Do this in a script that runs before the build.";
    const at = "hello: build error at src/languages.ts";
    expect(problems.toSorted()).toEqual([
      `hello: build error at node_modules/reader/index.js:1:1\ncannot import node:path, a module of Node.js\n${help} src/languages.ts imports the package.`,
      `${at}:1:1\ncannot find ./nowhere\nCorrect the path, or add the file.`,
      `${at}:2:1\nthe package dayjs is not installed\nWrite a path to a file of the section as ./dayjs. If it is a package that you know, run \`npm install dayjs\`.`,
      `${at}:3:1\ncannot import node:fs, a module of Node.js\n${help}`,
      `${at}:4:1\ncannot import os, a module of Node.js\n${help}`,
      `${at}:5:1\nthe package react does not export nowhere`,
      `${at}:7:1\nCOL131 the section imports catalog/section, another section\nSections do not import each other. Link to the pages of another section with <Link>.`,
    ]);
  });

  test("reports an error thrown by the section and leaves no release", async () => {
    const section = await helloSection({ "src/languages.ts": 'throw new Error("two languages share a path");' });
    await expect(buildOnce(section)).rejects.toThrow("two languages share a path");
    const target = path.join(section, "release");
    await expect(readRelease(target)).rejects.toThrow(
      new UsageError(`${target} contains no release; run \`colonnade build\` first`),
    );
  });
});
