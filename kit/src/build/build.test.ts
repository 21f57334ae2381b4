// Real builds of the example section through what the kit publishes.
import { createHash } from "node:crypto";
import { cp, readdir, readFile } from "node:fs/promises";
import path from "node:path";

import { build, readRelease, UsageError, type BuildResult, type Release } from "@colonnade/kit/build";
import { beforeAll, describe, expect, test, vi } from "vitest";

import { helloSection, temporaryFolder, writeFiles } from "../../fixtures/temporary.js";

// Two runs of webpack each.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

function buildOnce(folder: string): Promise<BuildResult> {
  return build(folder, { final: false });
}

/** The bytes of every file of a package's release by its path, without `release.json`. */
async function contentsOf(folder: string): Promise<Map<string, Buffer>> {
  const release = path.join(folder, "release");
  const entries = await readdir(release, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name));
  const contents = new Map<string, Buffer>();
  for (const file of files.toSorted()) contents.set(path.relative(release, file), await readFile(file));
  contents.delete("release.json");
  return contents;
}

function textOf(contents: Map<string, Buffer>, file: string | undefined): string {
  const bytes = contents.get(file ?? "");
  if (!bytes) throw new Error(`the release has no file ${String(file)}`);
  return bytes.toString();
}

function endingsOf(files: readonly string[] | undefined): string[] {
  return (files ?? []).map((file) => path.extname(file)).toSorted();
}

let folder: string;
let release: Release;
let contents: Map<string, Buffer>;
beforeAll(async () => {
  folder = await helloSection();
  const result = await buildOnce(folder);
  expect(result.built).toBe(true);
  ({ release } = result);
  contents = await contentsOf(folder);
});

/** A copy of the package as it was built, with its release. */
async function builtSection(): Promise<string> {
  const copy = path.join(await temporaryFolder(), "hello");
  await cp(folder, copy, { recursive: true });
  return copy;
}

describe("a release", () => {
  test("release.json says what was built", async () => {
    expect(JSON.parse(await readFile(path.join(folder, "release/release.json"), "utf8"))).toEqual(release);
    const { version, entry, container, assets, pages, files, ...rest } = release;
    expect(rest).toEqual({
      name: "hello",
      kind: "section",
      contract: 1,
      styles: [],
      slots: [],
      shared: { react: "^19.3.1", "react-dom": "^19.3.1", "@colonnade/kit": "^0.1.0" },
      modules: { section: "server/index.js" },
    });
    expect(version).toMatch(/^0\.1\.0-dev\.[0-9a-fx][0-9a-f]{11}$/);
    expect(container).toMatch(/^hello_[0-9a-f]{12}$/);
    expect(entry).toMatch(/^client\/entry\.[0-9a-f]{8}\.js$/);
    expect(assets).toEqual([expect.stringMatching(/^client\/section\.[0-9a-f]{8}\.js$/)]);
    expect(pages).toHaveLength(2);
    expect(files.length).toBeGreaterThan(0);
  });

  test("its list of files is complete and sorted, with true sizes, digests and types", () => {
    expect(release.files.map((file) => file.path)).toEqual([...contents.keys()].toSorted());
    for (const { path: file, size, digest } of release.files) {
      const bytes = contents.get(file) ?? Buffer.alloc(0);
      expect(size, file).toBe(bytes.length);
      expect(digest, file).toBe(`sha384-${createHash("sha384").update(bytes).digest("base64")}`);
    }
    expect(Object.fromEntries(release.files.map((file) => [path.extname(file.path), file.type]))).toEqual({
      ".js": "text/javascript; charset=utf-8",
      ".css": "text/css; charset=utf-8",
      ".txt": "text/plain; charset=utf-8",
    });
  });

  test("a page names its paths and whether search engines may list them", () => {
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

  test("a page names what its first view needs, and nothing that comes later", () => {
    const [languages, greeting] = release.pages;
    expect(endingsOf(languages?.assets)).toEqual([".css", ".js"]);
    expect(endingsOf(greeting?.assets)).toEqual([".js"]);
    expect(textOf(contents, greeting?.assets[0])).toContain("That is hello in");
    // The words are a chunk of their own, which only data() asks for.
    const words = [...contents].filter(([file, bytes]) => file.startsWith("client/") && bytes.includes("Kia ora"));
    expect(words).toHaveLength(1);
    const named = [release.entry, ...release.assets, ...release.pages.flatMap((page) => page.assets)];
    expect(named).not.toContain(words[0]?.[0]);
  });

  test("its entry defines the container, and its classes carry the section's name", () => {
    expect(textOf(contents, release.entry)).toContain(`var ${String(release.container)}`);
    const style = release.pages[0]?.assets.find((file) => file.endsWith(".css"));
    expect(textOf(contents, style)).toMatch(/\.hello_languages_[\w-]{6}\{/);
  });

  test("its scripts ask to be compiled as they arrive", () => {
    const scripts = [...contents].filter(([file]) => file.startsWith("client/") && file.endsWith(".js"));
    expect(scripts.length).toBeGreaterThan(2);
    for (const [file, bytes] of scripts) expect(String(bytes), file).toMatch(/^\/\/# allFunctionsCalledOnLoad\n/);
  });

  test("what the shell shares is not in it, nor anything of the machine that built it", () => {
    const server = textOf(contents, "server/index.js");
    for (const name of ["react/jsx-runtime", "@colonnade/kit"]) expect(server).toMatch(new RegExp(`from ?"${name}"`));
    for (const [file, bytes] of contents) {
      // Words of the kit and of react-dom.
      expect(bytes.includes("was called outside the shell"), file).toBe(false);
      expect(bytes.includes("hydrateRoot"), file).toBe(false);
      expect(bytes.includes(folder), file).toBe(false);
    }
  });
});

test("a slot names what it needs", async () => {
  const section = await helloSection({
    "src/section.ts": `import { defineSection } from "@colonnade/kit";
export default defineSection({ name: "hello", contract: 1, pages: {}, slots: { join: () => import("./join") } });
`,
    "src/join.tsx": `import { defineSlot } from "@colonnade/kit";
import css from "./join.module.css";
export const slot = defineSlot({ Component: ({ open }) => <dialog open={open} className={css.dialog}>Join us</dialog> });
`,
    "src/join.module.css": ".dialog { color: var(--color-text); }",
  });
  const { slots } = (await buildOnce(section)).release;
  const [join, ...others] = slots;
  expect(others).toEqual([]);
  expect(join?.name).toBe("join");
  expect(endingsOf(join?.assets)).toEqual([".css", ".js"]);
  const script = join?.assets.find((file) => file.endsWith(".js"));
  expect(textOf(await contentsOf(section), script)).toContain("Join us");
});

describe("building again", () => {
  test("an unchanged tree is up to date, a changed one makes another release", async () => {
    const copy = await builtSection();
    expect(await buildOnce(copy)).toEqual({ release, built: false });

    const file = path.join(copy, "src/languages.ts");
    await writeFiles(copy, { "src/languages.ts": (await readFile(file, "utf8")).replace('"Dutch", ', "") });
    const { release: after, built } = await buildOnce(copy);
    expect(built).toBe(true);
    expect(after.version).not.toBe(release.version);
    expect(after.container).not.toBe(release.container);
    expect(after.pages[1]?.paths).toHaveLength(2);
  });

  test("a final build has the package's version and is always made", async () => {
    const section = await helloSection();
    const { release: final } = await build(section, { final: true });
    expect(final.version).toBe("0.1.0");
    expect(await build(section, { final: true })).toEqual({ release: final, built: true });
  });

  test("the same inputs make the same bytes, in another folder and another working directory", async () => {
    const there = await helloSection();
    const back = process.cwd();
    process.chdir(await temporaryFolder());
    try {
      await buildOnce(there);
    } finally {
      process.chdir(back);
    }
    expect(await contentsOf(there)).toEqual(contents);
    expect(await readRelease(path.join(there, "release"))).toEqual(release);
  });
});

describe("a build for development", () => {
  test("is refused for a section, which runs in any shell", async () => {
    await expect(build(await helloSection(), { final: false, development: true })).rejects.toThrow(
      new UsageError("hello is a section; expected the shell, which alone has a build for development"),
    );
  });

  test("is refused for a final release", async () => {
    const section = await helloSection({
      "section.config.js": 'export default { name: "shell", kind: "shell", entry: "./src/section.ts" };',
    });
    await expect(build(section, { final: true, development: true })).rejects.toThrow(
      new UsageError("a final release is not built for development; expected one of the two"),
    );
  });
});

describe("a build that fails", () => {
  test("leaves the release before it, and does not mislead the build after it", async () => {
    const copy = await builtSection();
    const source = await readFile(path.join(copy, "src/greetings.ts"), "utf8");
    await writeFiles(copy, { "src/greetings.ts": "export const GREETINGS = ;" });
    await expect(buildOnce(copy)).rejects.toThrow(UsageError);
    expect(await readRelease(path.join(copy, "release"))).toEqual(release);
    expect(await contentsOf(copy)).toEqual(contents);

    await writeFiles(copy, { "src/greetings.ts": source });
    expect(await buildOnce(copy)).toEqual({ release, built: false });
  });

  test("over an import of what is not there, names both modules", async () => {
    const section = await helloSection({ "src/languages.ts": 'export * from "./nowhere";' });
    const refusal = buildOnce(section);
    await expect(refusal).rejects.toThrow(UsageError);
    await expect(refusal).rejects.toThrow("./src/languages.ts");
    await expect(refusal).rejects.toThrow("Can't resolve './nowhere'");
  });

  test("over a section that throws, says what was thrown and leaves no release", async () => {
    const section = await helloSection({ "src/languages.ts": 'throw new Error("two languages share a path");' });
    await expect(buildOnce(section)).rejects.toThrow("two languages share a path");
    const target = path.join(section, "release");
    await expect(readRelease(target)).rejects.toThrow(
      new UsageError(`${target} holds no release; run \`section build\` first`),
    );
  });
});
