// @vitest-environment node
// Real builds of the example section through what the kit publishes.
import { createHash } from "node:crypto";
import { readdir, readFile, rename, rm } from "node:fs/promises";
import path from "node:path";

import { build, readRelease, UsageError, type BuildResult, type Release } from "@colonnade/kit/build";
import { describe, expect, test } from "vitest";

import { helloSection, temporaryFolder, writeFiles, type Files } from "../../fixtures/temporary.js";

const ENTRY = "src/section.ts";
const GREETING = "src/pages/greeting.tsx";

function buildOnce(folder: string): Promise<BuildResult> {
  return build(folder, { final: false });
}

/** The bytes of every file of a release by its path, without `release.json`. */
async function contentsOf(folder: string): Promise<Map<string, Buffer>> {
  const release = path.join(folder, "release");
  const entries = await readdir(release, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name));
  const contents = new Map<string, Buffer>();
  for (const file of files.toSorted()) contents.set(path.relative(release, file), await readFile(file));
  contents.delete("release.json");
  return contents;
}

/** The example with its page of a greeting replaced by one whose entries are given as source. */
function pageSource(entries: string): Files {
  return {
    [GREETING]: `import { definePage, notFound } from "@colonnade/kit";
export const page = definePage({
  data: () => ({ words: "Hello" }),
  head: () => ({ title: "Hello", description: "Hello", canonical: "/hello/Dutch" }),
  Component: () => <h1>Hello</h1>,
  ${entries}
});
`,
  };
}

function sectionSource(entries: string): Files {
  return {
    [ENTRY]: `import { defineSection } from "@colonnade/kit";\nexport default defineSection({ ${entries} });\n`,
  };
}

async function textOf(contents: Map<string, Buffer>, file: string | undefined): Promise<string> {
  return Promise.resolve(contents.get(file ?? "")?.toString() ?? "");
}

describe("a release", () => {
  test("release.json is complete and true", async () => {
    const folder = await helloSection();
    const { release, built } = await buildOnce(folder);
    expect(built).toBe(true);
    expect(JSON.parse(await readFile(path.join(folder, "release/release.json"), "utf8"))).toEqual(release);
    expect(Object.keys(release)).toEqual([
      "name",
      "version",
      "kind",
      "contract",
      "entry",
      "container",
      "styles",
      "assets",
      "pages",
      "slots",
      "shared",
      "files",
    ]);
    expect(release).toMatchObject({ name: "hello", kind: "section", contract: 1, styles: [], slots: [] });
    expect(release.version).toMatch(/^0\.1\.0-dev\.[0-9a-fx][0-9a-f]{11}$/);
    expect(release.shared).toEqual({ react: "^19.3.1", "react-dom": "^19.3.1", "@colonnade/kit": "^0.1.0" });

    const contents = await contentsOf(folder);
    expect(release.files.map((file) => file.path)).toEqual([...contents.keys()].toSorted());
    for (const { path: file, size, digest } of release.files) {
      const bytes = contents.get(file) ?? Buffer.alloc(0);
      expect(size).toBe(bytes.length);
      expect(digest).toBe(`sha384-${createHash("sha384").update(bytes).digest("base64")}`);
    }
    const types = new Map(release.files.map((file) => [path.extname(file.path), file.type]));
    expect(Object.fromEntries(types)).toEqual({
      ".js": "text/javascript; charset=utf-8",
      ".css": "text/css; charset=utf-8",
      ".txt": "text/plain; charset=utf-8",
    });
    // Nothing of the machine that built it.
    for (const bytes of contents.values()) expect(bytes.includes(folder)).toBe(false);
  });

  test("its pages name their paths and the files of their first view, and no others", async () => {
    const folder = await helloSection();
    const { release } = await buildOnce(folder);
    const contents = await contentsOf(folder);
    const [languages, greeting] = release.pages;

    expect(languages?.pattern).toBe("/hello");
    expect(languages?.paths).toEqual([{ path: "/hello", indexable: true }]);
    expect(languages?.assets.map((file) => path.extname(file)).toSorted()).toEqual([".css", ".js"]);

    expect(greeting?.pattern).toBe("/hello/:language");
    expect(greeting?.paths).toEqual([
      { path: "/hello/Dutch", indexable: false },
      { path: "/hello/Te%20Reo%20M%C4%81ori", indexable: false },
      { path: "/hello/Welsh", indexable: false },
    ]);
    expect(greeting?.assets).toHaveLength(1);
    expect(await textOf(contents, greeting?.assets[0])).toContain("That is hello in");

    // The words are a chunk of their own, which only data() asks for.
    const words = [...contents].filter(([file, bytes]) => file.startsWith("client/") && bytes.includes("Kia ora"));
    expect(words).toHaveLength(1);
    const named = [release.entry, ...release.assets, ...release.pages.flatMap((page) => page.assets)];
    expect(named).not.toContain(words[0]?.[0]);
    for (const file of named) expect(contents.has(file)).toBe(true);
  });

  test("its entry is the container, and classes carry the section's name", async () => {
    const folder = await helloSection();
    const { release } = await buildOnce(folder);
    const contents = await contentsOf(folder);
    expect(release.entry).toMatch(/^client\/entry\.[0-9a-f]{8}\.js$/);
    expect(release.container).toBe(`hello_${release.version.split(".dev.")[0]?.split("-dev.")[1] ?? ""}`);
    expect(await textOf(contents, release.entry)).toContain(`var ${release.container ?? "no container"}`);
    const style = release.pages[0]?.assets.find((file) => file.endsWith(".css"));
    expect(await textOf(contents, style)).toMatch(/\.hello_languages_\w{6}\{/);
  });

  test("what the shell shares is not in it, on either side", async () => {
    const folder = await helloSection();
    await buildOnce(folder);
    const contents = await contentsOf(folder);
    const server = await textOf(contents, "server/index.js");
    for (const name of ["react/jsx-runtime", "@colonnade/kit"]) expect(server).toMatch(new RegExp(`from ?"${name}"`));
    for (const [file, bytes] of contents) {
      expect(bytes.includes("was called outside the shell"), file).toBe(false);
      expect(bytes.includes("react-dom-client"), file).toBe(false);
    }
  });

  test("a slot names what it needs besides the section's own files", async () => {
    const folder = await helloSection({
      ...sectionSource(
        'name: "hello", contract: 1, pages: { "/hello": () => import("./pages/languages") }, slots: { join: () => import("./slots/join") }',
      ),
      "src/slots/join.tsx": `import { defineSlot } from "@colonnade/kit";
import css from "./join.module.css";
export const slot = defineSlot({ Component: ({ open }) => <dialog open={open} className={css.dialog}>Join us</dialog> });
`,
      "src/slots/join.module.css": ".dialog { color: var(--color-text); }",
    });
    const { release } = await buildOnce(folder);
    const contents = await contentsOf(folder);
    const [join] = release.slots;
    expect(join?.name).toBe("join");
    expect(join?.assets.map((file) => path.extname(file)).toSorted()).toEqual([".css", ".js"]);
    expect(await textOf(contents, join?.assets.find((file) => file.endsWith(".js")))).toContain("Join us");
  });

  test("a final build has the package's version", async () => {
    const folder = await helloSection();
    const { release } = await build(folder, { final: true });
    expect(release.version).toBe("0.1.0");
    expect((await build(folder, { final: true })).built).toBe(true);
  });
});

describe("building again", () => {
  test("an unchanged tree is up to date", async () => {
    const folder = await helloSection();
    const { release } = await buildOnce(folder);
    expect(await buildOnce(folder)).toEqual({ release, built: false });
  });

  test("a change makes another release, in the same process too", async () => {
    const folder = await helloSection();
    const before = (await buildOnce(folder)).release;
    const file = path.join(folder, "src/languages.ts");
    const source = await readFile(file, "utf8");
    await writeFiles(folder, { "src/languages.ts": source.replace('"Dutch", ', "") });
    const after = await buildOnce(folder);
    expect(after.built).toBe(true);
    expect(after.release.version).not.toBe(before.version);
    expect(after.release.container).not.toBe(before.container);
    expect(after.release.pages[1]?.paths).toHaveLength(2);
  });

  test("the same inputs make the same bytes, in another folder and another working directory", async () => {
    const here = await helloSection();
    const there = await helloSection();
    await buildOnce(here);
    const back = process.cwd();
    process.chdir(await temporaryFolder());
    try {
      await buildOnce(there);
    } finally {
      process.chdir(back);
    }
    expect(await contentsOf(there)).toEqual(await contentsOf(here));
    expect(await readRelease(path.join(there, "release"))).toEqual(await readRelease(path.join(here, "release")));
  });
});

describe("a build that fails", () => {
  test("leaves the release before it as it was", async () => {
    const folder = await helloSection();
    const { release } = await buildOnce(folder);
    const before = await contentsOf(folder);
    await writeFiles(folder, { "src/greetings.ts": "export const GREETINGS = ;" });
    await expect(buildOnce(folder)).rejects.toThrow(UsageError);
    expect(await readRelease(path.join(folder, "release"))).toEqual(release);
    expect(await contentsOf(folder)).toEqual(before);
  });

  test("where nothing was built, says what to run", async () => {
    const folder = path.join(await helloSection(), "release");
    await expect(readRelease(folder)).rejects.toThrow(
      new UsageError(`${folder} holds no release; run \`section build\` first`),
    );
  });

  test.each<[string, string, string]>([
    ["a function", "data: () => ({ say: () => 1 })", 'the data of /hello/Dutch does not survive JSON'],
    ["a date", "data: () => ({ day: new Date(0) })", 'the data of /hello/Dutch does not survive JSON'],
    ["a key without value", "data: () => ({ words: undefined })", 'the data of /hello/Dutch does not survive JSON'],
    ["a bigint", "data: () => ({ count: 1n })", 'the data of /hello/Dutch does not survive JSON'],
    ["a cycle", "data: () => { const it = {}; it.self = it; return it; }", 'the data of /hello/Dutch does not survive JSON'],
  ])("data that is no JSON is refused: %s", async (_, data, problem) => {
    const folder = await helloSection(pageSource(`${data}, paths: () => ["/hello/Dutch"]`));
    await expect(buildOnce(folder)).rejects.toThrow(new UsageError(`${problem}; a page's data is serialisable`));
  });

  test.each<[string, string]>([
    [
      'paths: () => ["/goodbye/Dutch"]',
      'paths() of the page "/hello/:language" names /goodbye/Dutch, which its pattern does not match',
    ],
    [
      'paths: () => ["/hello/Klingon"], data: () => notFound("Language not found")',
      'paths() of the page "/hello/:language" names /hello/Klingon, of which its data says "Language not found"',
    ],
  ])("a page that breaks its own word is refused: %s", async (entries, problem) => {
    const folder = await helloSection(pageSource(entries));
    await expect(buildOnce(folder)).rejects.toThrow(new UsageError(problem));
  });

  test.each<[string, Files, string]>([
    [
      "another name than the configuration's",
      sectionSource('name: "goodbye", contract: 1, pages: {}'),
      'defineSection says the name "goodbye", section.config.js says "hello"',
    ],
    [
      "another contract than the kit's",
      sectionSource('name: "hello", contract: 2, pages: {}'),
      "the section says contract 2; this kit builds contract 1",
    ],
    [
      "a page's module without a page",
      { [GREETING]: "export const Page = () => null;" },
      'the module of the page "/hello/:language" exports no "page"',
    ],
    [
      "a slot's module without a slot",
      {
        ...sectionSource('name: "hello", contract: 1, pages: {}, slots: { join: () => import("./join") }'),
        "src/join.ts": "export default 1;",
      },
      'the module of the slot "join" exports no "slot"',
    ],
    ["a section that throws", { "src/languages.ts": 'throw new Error("two languages share a path");' }, "two languages share a path"],
  ])("%s is refused", async (_, files, problem) => {
    await expect(buildOnce(await helloSection(files))).rejects.toThrow(new Error(problem));
  });

  test("an import of what is not there is refused, naming both modules", async () => {
    const folder = await helloSection({ "src/languages.ts": 'export * from "./nowhere";' });
    const refusal = buildOnce(folder);
    await expect(refusal).rejects.toThrow(UsageError);
    await expect(refusal).rejects.toThrow("./src/languages.ts");
    await expect(refusal).rejects.toThrow("Can't resolve './nowhere'");
  });

  test("does not keep the next build from being right", async () => {
    const folder = await helloSection();
    const { release } = await buildOnce(folder);
    await rm(path.join(folder, "release"), { recursive: true });
    const source = path.join(folder, "src/languages.ts");
    await rename(source, `${source}.away`);
    await expect(buildOnce(folder)).rejects.toThrow(UsageError);
    await rename(`${source}.away`, source);
    expect(await buildOnce(folder)).toEqual<{ release: Release; built: boolean }>({ release, built: true });
  });
});
