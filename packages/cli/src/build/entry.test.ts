import path from "node:path";

import { describe, expect, test } from "vitest";

import { temporaryFolder, writeFiles } from "../../fixtures/temporary.js";
import { BuildError } from "./usageError.js";
import { readEntry, readModules } from "./entry.js";
import { LINK_FORM } from "./entryForms.js";

async function entryWith(source: string): Promise<string> {
  const folder = await temporaryFolder();
  await writeFiles(folder, { "section.ts": source });
  return path.join(folder, "section.ts");
}

function section(body: string): string {
  return `import { defineSection } from "@colonnade/kit";\nexport default defineSection({ ${body} });\n`;
}

const PAGE = '() => import("./page")';

test("readEntry returns the modules of pages and extensions", async () => {
  const file = await entryWith(
    section(
      `name: "hello", contract: 1, pages: { "/": () => import("./home"), "/x/:y": () => import('./x') }, extensions: { "directory/city-aside@1": () => import("./aside") }, navigation: [{ to: "shell/menu", label: "Hi", path: "/", order: -1 }]`,
    ),
  );
  expect(await readEntry(file)).toEqual({
    pages: new Map([
      ["/", "./home"],
      ["/x/:y", "./x"],
    ]),
    extensions: new Map([["directory/city-aside@1", "./aside"]]),
    navigation: [{ to: "shell/menu", label: "Hi", path: "/", order: -1 }],
  });
});

test("readEntry accepts pages and extensions of the entry module itself", async () => {
  const file = await entryWith(
    section(
      `name: "hello", contract: 1, pages: { "/": async () => ({ page: home }) }, extensions: { "a/b@1": async () => ({ extension }) }`,
    ),
  );
  expect(await readEntry(file)).toEqual({
    pages: new Map([["/", ""]]),
    extensions: new Map([["a/b@1", ""]]),
    navigation: [],
  });
});

test("readModules returns what the entry module imports for its own pages", async () => {
  const forms = ["{ page }", "{ page: other }", "{ page: pages.third }", "{ page: own }", "{ page: definePage({}) }"];
  const pages = forms.map((form, index) => `"/${String(index)}": async () => (${form})`).join(", ");
  const imports = `import { page, other as same, page as other } from "./a";\nimport * as pages from "./b";\nconst own = page;\n`;
  const file = await entryWith(`${imports}${section(`name: "hello", contract: 1, pages: { ${pages} }`)}`);
  expect([...(await readModules(file)).pages.values()]).toEqual(["./a", "./a", "./b", "", ""]);
});

test("readEntry accepts empty pages, and absent extensions", async () => {
  const file = await entryWith(section('name: "hello", contract: 1, pages: {}'));
  expect(await readEntry(file)).toEqual({ pages: new Map(), extensions: new Map(), navigation: [] });
});

describe("readEntry rejects an unsupported entry module:", () => {
  const NO_SECTION = ": expected `export default defineSection({ … })`";
  const UNSUPPORTED_VALUE = 'has an unsupported value; expected () => import("./module"), or async () => ({ page })';
  const UNSUPPORTED_PROPERTY = 'has an unsupported property; expected "key": value';

  test.each([
    ["no default export", "export const section = 1;", NO_SECTION],
    ["a default export that is not a call", "export default { pages: {} };", NO_SECTION],
    ["a different call", "export default makeSection({ pages: {} });", NO_SECTION],
    ["a variable as argument", "const it = {}; export default defineSection(it);", NO_SECTION],
    ["a default export by name", "const s = defineSection({}); export { s as default };", NO_SECTION],
    [
      "a variable as pages",
      section("pages: allPages"),
      ': pages is not an object literal; expected { "…": () => import("./module") }',
    ],
    [
      "a variable as extensions",
      section("pages: {}, extensions: allExtensions"),
      ': extensions is not an object literal; expected { "…": () => import("./module") }',
    ],
    ["pages as a shorthand", section("pages"), `: defineSection ${UNSUPPORTED_PROPERTY}`],
    ["spread properties", section("...rest, pages: {}"), `: defineSection ${UNSUPPORTED_PROPERTY}`],
    ["spread pages", section(`pages: { ...more, "/": ${PAGE} }`), `: pages ${UNSUPPORTED_PROPERTY}`],
    ["a computed pattern", section(`pages: { [ROOT]: ${PAGE} }`), `: pages ${UNSUPPORTED_PROPERTY}`],
    [
      "a page as a method",
      section('pages: { home() { return import("./home"); } }'),
      `: pages ${UNSUPPORTED_PROPERTY}`,
    ],
    ["a static import", section('pages: { "/": home }'), `: pages["/"] ${UNSUPPORTED_VALUE}`],
    [
      "a block body",
      section('pages: { "/": () => { return import("./home"); } }'),
      `: pages["/"] ${UNSUPPORTED_VALUE}`,
    ],
    ["a template", section('pages: { "/": () => import(`./home`) }'), `: pages["/"] ${UNSUPPORTED_VALUE}`],
    [
      "a chained import",
      section('pages: { "/": () => import("./home").then(wrap) }'),
      `: pages["/"] ${UNSUPPORTED_VALUE}`,
    ],
    [
      "a function other than import",
      section('pages: { "/": () => load("./home") }'),
      `: pages["/"] ${UNSUPPORTED_VALUE}`,
    ],
    [
      "a variable as navigation",
      section("pages: {}, navigation: links"),
      `: navigation is not an array literal; expected [${LINK_FORM}]`,
    ],
    [
      "a variable in navigation",
      section('pages: {}, navigation: [{ to: "shell/menu", label: LABEL, path: "/" }]'),
      `: navigation has an unsupported value; expected [${LINK_FORM}]`,
    ],
    [
      "a variable as an extension",
      section('pages: {}, extensions: { "directory/city-aside@1": aside }'),
      `: extensions["directory/city-aside@1"] ${UNSUPPORTED_VALUE.replace("page", "extension")}`,
    ],
  ])("%s", async (_, source, problem) => {
    const file = await entryWith(source);
    await expect(readEntry(file)).rejects.toThrow(new BuildError(`${file}${problem}`));
  });

  test("a syntax error, with its position", async () => {
    const file = await entryWith("export default defineSection({\n  pages: { , }\n});\n");
    const result = readEntry(file);
    await expect(result).rejects.toThrow(BuildError);
    await expect(result).rejects.toThrow(`${file}: syntax error:`);
    await expect(result).rejects.toThrow("[2:1]");
    await expect(result).rejects.not.toThrow("backtrace");
  });
});
