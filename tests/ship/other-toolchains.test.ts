// Sections that the kit did not build. They and the kit's sections share one page, with one React.
import { execFile } from "node:child_process";
import { cp, mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";

import { readRelease, RELEASE_FOLDER, type Release } from "@colonnade/cli";
import type { Page } from "@playwright/test";

import { countElements, holdRequests, markElements, SHELL, waitForHydration } from "../support/hydration";
import { expect, test } from "../support/own-site";
import { schemaProblems } from "../support/release-schema";
import { ROOT } from "../support/repository.mjs";
import { expectScreen, follow } from "../support/screens";
import { sectionCommand, type RunSection } from "../support/section-command";

const run = promisify(execFile);

interface Example {
  /** Below `examples/`. */
  readonly folder: string;
  /** Writes its release. */
  readonly build: (folder: string, section: RunSection) => Promise<unknown>;
  readonly name: string;
  /** Its text after `times` clicks. */
  readonly counted: (times: number) => string;
}

const EXAMPLES: readonly Example[] = [
  {
    folder: "plain-section",
    build: (folder) => run(process.execPath, ["release.js"], { cwd: folder }),
    name: "plain",
    counted: (times) => `Welsh, said ${String(times + 1)} times.`,
  },
  {
    folder: "vite-section",
    async build(folder, section) {
      await expectBuildWithoutStyles(folder);
      await section(folder, "build", "--final");
    },
    name: "vite",
    counted: (times) => `Colonnade Directory said it in Welsh ${String(times + 1)} times.`,
  },
  {
    folder: "vite-section",
    name: "rspack",
    build: async (folder, section) => {
      await useRspack(folder);
      expect(await section(folder, "build", "--final")).not.toContain("COL142");
      await expectLaterLocales(folder);
    },
    counted: (times) => `Colonnade Directory said it in Welsh ${String(times + 1)} times.`,
  },
];

// What `rspack build` of @rspack/cli does.
const RSPACK = `import { rspack } from "@rspack/core";
import config from "./rspack.config.js";

rspack(config, (error, stats) => {
  if (error || stats.hasErrors()) throw error ?? new Error(String(stats));
});
`;

const PAGE = "src/pages/greeting.tsx";
// One chunk for each file of the folder.
const LOCALES = ["Dutch", "Welsh"];
const LOAD_LOCALE = "void import(`./locales/${language}.ts`).then(({ step }) => setTimes(times + step));";

/** Changes a file of a section. */
async function edit(folder: string, file: string, change: (text: string) => string): Promise<void> {
  const target = path.join(folder, file);
  await writeFile(target, change(await readFile(target, "utf8")));
}

/** Builds the example of Vite with the Rspack configuration of the guide, and with a file for each language, which a click loads. */
async function useRspack(folder: string): Promise<void> {
  const guide = await readFile(path.join(ROOT, "docs/vite-and-rspack.md"), "utf8");
  const [, configuration = ""] = /^```js \[rspack\.config\.js\]\n(.*?)^```$/ms.exec(guide) ?? [];
  const own = configuration
    .replaceAll("shop", "rspack")
    .replace(/(?<=^const pages = ).*(?=;$)/m, '{ "/rspack/:language": "./pages/greeting" }')
    .replace(/(?<=^const extensions = ).*(?=;$)/m, '{ "directory/state-aside@1": "./extensions/greeting" }');
  await writeFile(path.join(folder, "rspack.config.js"), own);
  await writeFile(path.join(folder, "build.js"), RSPACK);
  for (const file of ["section.config.js", "src/section.ts", PAGE, "src/extensions/greeting.tsx"])
    await edit(folder, file, (text) => text.replaceAll(/(["/])vite(?=["/])/g, "$1rspack"));
  await edit(folder, PAGE, (text) => text.replace("setTimes(times + 1);", LOAD_LOCALE));
  const locales = path.join(folder, "src/pages/locales");
  await mkdir(locales);
  for (const name of LOCALES) await writeFile(path.join(locales, `${name}.ts`), "export const step = 1;\n");
}

/** Expects that the files of the languages are listed as loaded later, and those of page and extension in no other list. */
async function expectLaterLocales(folder: string): Promise<void> {
  const text = await readFile(path.join(folder, "dist/release.json"), "utf8");
  const { assets, pages, extensions, later } = JSON.parse(text) as Pick<Release, "assets" | "pages" | "extensions"> & {
    readonly later: readonly string[];
  };
  expect(later.filter((file) => file.endsWith(".js"))).toHaveLength(LOCALES.length);
  const lists = [assets, later, ...[...pages, ...(extensions ?? [])].map((view) => view.assets)];
  for (const list of lists) expect(list).not.toEqual([]);
  expect(lists.flat()).toEqual([...new Set(lists.flat())]);
}

/** Expects that the section builds without its only stylesheet. */
async function expectBuildWithoutStyles(folder: string): Promise<void> {
  const page = await readFile(path.join(folder, PAGE), "utf8");
  await edit(folder, PAGE, (text) => text.replace(/^import css .*$/m, "const css = { counter: undefined };"));
  const variables = { COLONNADE_CONTAINER: "vite_unstyled" };
  await run(process.execPath, ["build.js"], { cwd: folder, env: { ...process.env, ...variables } });
  const release = await readFile(path.join(folder, "dist/release.json"), "utf8");
  expect(JSON.parse(release)).toEqual({ entry: "client/entry.js", assets: [] });
  await writeFile(path.join(folder, PAGE), page);
}

async function clickAndExpect(page: Page, { counted }: Example): Promise<void> {
  await expect(page.getByText(counted(0))).toBeVisible();
  await page.getByRole("button", { name: "Say it again" }).click();
  await expect(page.getByText(counted(1))).toBeVisible();
}

test("Sections of other toolchains render, hydrate and navigate", async ({ page, request, startOwnSite, folder }) => {
  const own = await startOwnSite();
  const section = sectionCommand(own.access);
  const releases: string[] = [];
  for (const example of EXAMPLES) {
    const target = path.join(folder, example.name);
    await cp(path.join(ROOT, "examples", example.folder), target, {
      recursive: true,
      filter: (source) => !/[/\\](node_modules|release)$/.test(source),
    });
    await example.build(target, section);
    expect(schemaProblems(await readRelease(path.join(target, RELEASE_FOLDER)))).toEqual([]);
    expect(await section(target, "publish")).toBe(`${example.name}@0.1.0 is published\n`);
    releases.push(`${example.name}@0.1.0`);
  }
  // The gateway renders the listed path of each before it accepts the deployment.
  await section(folder, "deploy", ...releases);

  for (const example of EXAMPLES) {
    await test.step(`The server renders ${example.name}`, async () => {
      const response = await request.get(`${own.url}/${example.name}/Welsh`);
      expect(response.status()).toBe(200);
      const html = await response.text();
      expect(html).toContain("<title>Hello in Welsh - Colonnade Directory</title>");
      expect(html).toContain("<h1>Shwmae</h1>");
      expect(html).toContain(example.counted(0));
      // The document has the page's stylesheet, which is small, so it is inline.
      const names = [...html.matchAll(/class="(\w+_counter_[^"]+)"/g)].map(([, name = ""]) => name);
      expect(names).toHaveLength(example.folder === "plain-section" ? 0 : 1);
      for (const name of names) expect(html).toContain(`.${name}{`);
      const unknown = await request.get(`${own.url}/${example.name}/Klingon`);
      expect(unknown.status()).toBe(404);
      expect(await unknown.text()).toContain("Language not found");
    });

    await test.step(`${example.name} hydrates`, async () => {
      await page.unrouteAll();
      const loaded: string[] = [];
      page.on("request", (each) => loaded.push(each.url()));
      const startShell = await holdRequests(page, SHELL);
      await page.goto(`${own.url}/${example.name}/Welsh`, { waitUntil: "commit" });
      await expectScreen(page, "Shwmae");
      await expect(page.getByRole("contentinfo")).toBeVisible();
      const elements = await markElements(page);
      startShell();
      await waitForHydration(page);
      expect(await countElements(page)).toMatchObject({ preserved: elements });
      await clickAndExpect(page, example);
      page.removeAllListeners("request");
      // A script of a page is preloaded, and not loaded again.
      const scripts = loaded.filter((url) => url.includes(`/assets/${example.name}/`));
      expect(scripts.length).toBeGreaterThan(0);
      expect(scripts).toEqual([...new Set(scripts)]);
    });
  }

  await test.step("They extend pages of another section", async () => {
    const html = await (await request.get(`${own.url}/state/Texas`)).text();
    for (const { name } of EXAMPLES) expect(html).toContain(`<div data-extension="${name}">`);
    expect(html).toContain("Say hello to Texas in ");
    expect(html.match(/Say it to Texas as in Wales: /g)).toHaveLength(2);
  });

  // The document of the last example, with sections of all toolchains.
  await test.step("The visitor navigates between the sections", async () => {
    await page.evaluate(() => Object.assign(window, { isFirstDocument: true }));
    await page.getByRole("link", { name: "Dutch" }).click();
    await expectScreen(page, "Hallo");
    await follow(page, "/terms");
    await expectScreen(page, "Terms of use");
    for (const example of EXAMPLES) {
      await follow(page, `/${example.name}/Welsh`);
      await expectScreen(page, "Shwmae");
      await clickAndExpect(page, example);
    }
    await follow(page, "/state/Texas");
    await page.getByRole("link", { name: "Dutch" }).click();
    await expectScreen(page, "Hallo");
    await follow(page, "/plain/Klingon");
    await expectScreen(page, "Language not found");
    expect(await page.evaluate(() => "isFirstDocument" in window)).toBe(true);
  });
});
