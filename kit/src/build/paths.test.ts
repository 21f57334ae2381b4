import path from "node:path";

import { describe, expect, test } from "vitest";

import { helloSection, writeFiles } from "../../fixtures/temporary.js";
import { UsageError } from "./config.js";
import { collectPaths } from "./paths.js";
import type { ReleasePath } from "./release.js";

const PAGE = `{
  data: () => ({ words: "Hello" }),
  head: () => ({ title: "Hello", description: "Hello", canonical: "/hello/Dutch" }),
  paths: () => ["/hello/Dutch"],
  Component: () => null,
}`;

/** Source of a compiled server module whose section has one page. */
function moduleWith(page: string, rest = ""): string {
  return `import { notFound } from "@colonnade/kit";
const page = { ...${PAGE}, ${page} };
export default {
  name: "hello",
  contract: 1,
  pages: { "/hello/:language": () => Promise.resolve({ page }) },
  ${rest}
};
`;
}

async function pathsOf(source: string): Promise<ReadonlyMap<string, readonly ReleasePath[]>> {
  const folder = await helloSection({ "server/index.js": source });
  return collectPaths(path.join(folder, "server/index.js"), { name: "hello", entry: "./src/section.ts" });
}

describe("a page's paths", () => {
  test("are listed with their indexability", async () => {
    const head = "head: ({ data }) => data.language === 'Welsh' ? { robots: 'noindex,nofollow' } : {}";
    const source = moduleWith(`${head}, data: ({ params }) => params, paths: () => ["/hello/Dutch", "/hello/Welsh"]`);
    expect(await pathsOf(source)).toEqual(
      new Map([
        [
          "/hello/:language",
          [
            { path: "/hello/Dutch", indexable: true },
            { path: "/hello/Welsh", indexable: false },
          ],
        ],
      ]),
    );
  });

  test("may be absent", async () => {
    expect(await pathsOf(moduleWith("paths: undefined"))).toEqual(new Map([["/hello/:language", []]]));
  });

  test("may have undefined or asynchronous data", async () => {
    const expected = new Map([["/hello/:language", [{ path: "/hello/Dutch", indexable: true }]]]);
    expect(await pathsOf(moduleWith("data: () => undefined"))).toEqual(expected);
    expect(await pathsOf(moduleWith("data: async () => [1, null, { a: 'b' }]"))).toEqual(expected);
  });
});

test("a rebuilt module at the same path is reloaded", async () => {
  const folder = await helloSection({ "server/index.js": moduleWith("") });
  const file = path.join(folder, "server/index.js");
  const config = { name: "hello", entry: "./src/section.ts" };
  expect((await collectPaths(file, config)).get("/hello/:language")).toHaveLength(1);
  await writeFiles(folder, { "server/index.js": moduleWith("paths: () => []") });
  expect((await collectPaths(file, config)).get("/hello/:language")).toHaveLength(0);
});

describe("collectPaths rejects", () => {
  test.each([
    ["a function", "() => ({ say: () => 1 })"],
    ["a date", "() => ({ day: new Date(0) })"],
    ["a map", "() => new Map()"],
    ["an undefined property", "() => ({ words: undefined })"],
    ["NaN", "() => [NaN]"],
    ["a bigint", "() => ({ count: 1n })"],
    ["a cycle", "() => { const it = {}; it.self = it; return it; }"],
  ])("data that is not JSON-serializable: %s", async (_, data) => {
    await expect(pathsOf(moduleWith(`data: ${data}`))).rejects.toThrow(
      new UsageError(
        "the data of /hello/Dutch is not JSON-serializable; expected only null, booleans, finite numbers, strings, arrays and plain objects",
      ),
    );
  });

  test.each<[string, string, string]>([
    [
      "a path that does not match the pattern",
      moduleWith('paths: () => ["/goodbye/Dutch"]'),
      'paths() of the page "/hello/:language" returns /goodbye/Dutch, which does not match the pattern',
    ],
    [
      "a path with a trailing slash",
      moduleWith('paths: () => ["/hello/Dutch/"]'),
      'paths() of the page "/hello/:language" returns /hello/Dutch/, which does not match the pattern',
    ],
    [
      "a path that is not found",
      moduleWith('data: () => notFound("Language not found")'),
      'paths() of the page "/hello/:language" returns /hello/Dutch, but its data() is notFound("Language not found")',
    ],
    [
      "a name that differs from the configuration",
      moduleWith("", 'name: "goodbye"'),
      'the name is "goodbye" in defineSection, but "hello" in section.config.js; use the same name',
    ],
    [
      "an unsupported contract",
      moduleWith("", "contract: 2"),
      "the section has contract 2; this kit supports contract 1",
    ],
    [
      "a page's module without a page export",
      moduleWith("", 'pages: { "/hello": async () => ({ Page: () => null }) }'),
      'the module of the page "/hello" does not export "page"; expected export const page = definePage({ … })',
    ],
    [
      "a slot's module without a slot export",
      moduleWith("", "slots: { join: async () => ({ default: {} }) }"),
      'the module of the slot "join" does not export "slot"; expected export const slot = defineSlot({ … })',
    ],
  ])("%s", async (_, source, problem) => {
    await expect(pathsOf(source)).rejects.toThrow(new UsageError(problem));
  });

  test.each([
    ["at import", 'throw new Error("two languages share a path");'],
    ["in data()", moduleWith('data: () => { throw new Error("two languages share a path"); }')],
    ["in paths()", moduleWith('paths: () => { throw new Error("two languages share a path"); }')],
  ])("a section that throws %s", async (_, source) => {
    await expect(pathsOf(source)).rejects.toThrow(new Error("two languages share a path"));
  });
});
