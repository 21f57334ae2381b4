import path from "node:path";

import { describe, expect, test } from "vitest";

import { temporaryFolder, writeFiles } from "../../fixtures/temporary.js";
import { UsageError } from "./config.js";
import { readEntry } from "./entry.js";

async function entryWith(source: string): Promise<string> {
  const folder = await temporaryFolder();
  await writeFiles(folder, { "section.ts": source });
  return path.join(folder, "section.ts");
}

function section(body: string): string {
  return `import { defineSection } from "@colonnade/kit";\nexport default defineSection({ ${body} });\n`;
}

const PAGE = '() => import("./page")';

test("the modules of pages and slots are read", async () => {
  const file = await entryWith(
    section(
      `name: "hello", contract: 1, pages: { "/": () => import("./home"), "/x/:y": () => import('./x') }, slots: { join: () => import("./join") }`,
    ),
  );
  expect(await readEntry(file)).toEqual({
    pages: new Map([
      ["/", "./home"],
      ["/x/:y", "./x"],
    ]),
    slots: new Map([["join", "./join"]]),
  });
});

test("pages may be none and slots may be absent", async () => {
  const file = await entryWith(section('name: "hello", contract: 1, pages: {}'));
  expect(await readEntry(file)).toEqual({ pages: new Map(), slots: new Map() });
});

describe("an entry that the build cannot read is refused, naming the file and the expected form:", () => {
  const NO_SECTION = ": expected `export default defineSection({ … })`";
  const OTHER_FORM = 'has another form than expected: () => import("./module")';
  const OTHER_ENTRY = 'has an entry of another form than expected: "key": value';

  test.each([
    ["no default export", "export const section = 1;", NO_SECTION],
    ["another default export", "export default { pages: {} };", NO_SECTION],
    ["another call", "export default makeSection({ pages: {} });", NO_SECTION],
    ["a value from elsewhere", "const it = {}; export default defineSection(it);", NO_SECTION],
    ["a section exported by name", "const s = defineSection({}); export { s as default };", NO_SECTION],
    [
      "pages from elsewhere",
      section("pages: allPages"),
      ': pages is no object literal; expected { "…": () => import("./module") }',
    ],
    [
      "slots from elsewhere",
      section("pages: {}, slots: allSlots"),
      ': slots is no object literal; expected { "…": () => import("./module") }',
    ],
    ["pages as a shorthand", section("pages"), `: defineSection ${OTHER_ENTRY}`],
    ["spread keys", section("...rest, pages: {}"), `: defineSection ${OTHER_ENTRY}`],
    ["spread pages", section(`pages: { ...more, "/": ${PAGE} }`), `: pages ${OTHER_ENTRY}`],
    ["a computed pattern", section(`pages: { [ROOT]: ${PAGE} }`), `: pages ${OTHER_ENTRY}`],
    ["a page as a method", section('pages: { home() { return import("./home"); } }'), `: pages ${OTHER_ENTRY}`],
    ["a static import", section('pages: { "/": home }'), `: pages["/"] ${OTHER_FORM}`],
    ["a block body", section('pages: { "/": () => { return import("./home"); } }'), `: pages["/"] ${OTHER_FORM}`],
    ["a template", section('pages: { "/": () => import(`./home`) }'), `: pages["/"] ${OTHER_FORM}`],
    ["a chained import", section('pages: { "/": () => import("./home").then(wrap) }'), `: pages["/"] ${OTHER_FORM}`],
    ["another call", section('pages: { "/": () => load("./home") }'), `: pages["/"] ${OTHER_FORM}`],
    ["a slot of another form", section("pages: {}, slots: { join: dialog }"), `: slots["join"] ${OTHER_FORM}`],
  ])("%s", async (_, source, problem) => {
    const file = await entryWith(source);
    await expect(readEntry(file)).rejects.toThrow(new UsageError(`${file}${problem}`));
  });

  test("a syntax error, with the place", async () => {
    const file = await entryWith("export default defineSection({\n  pages: { , }\n});\n");
    const refusal = readEntry(file);
    await expect(refusal).rejects.toThrow(UsageError);
    await expect(refusal).rejects.toThrow(`${file} cannot be parsed:`);
    await expect(refusal).rejects.toThrow("[2:1]");
    await expect(refusal).rejects.not.toThrow("backtrace");
  });
});
