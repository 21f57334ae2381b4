import path from "node:path";

import { describe, expect, test } from "vitest";

import { helloSection, writeFiles } from "../../fixtures/temporary.js";
import { UsageError } from "./config.js";
import { namePaths } from "./paths.js";
import type { ReleasePath } from "./release.js";

const PAGE = `{
  data: () => ({ words: "Hello" }),
  head: () => ({ title: "Hello", description: "Hello", canonical: "/hello/Dutch" }),
  paths: () => ["/hello/Dutch"],
  Component: () => null,
}`;

/** A server module, as webpack leaves it, whose section has one page. */
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

async function named(source: string): Promise<ReadonlyMap<string, readonly ReleasePath[]>> {
  const folder = await helloSection({ "server/index.js": source });
  return namePaths(path.join(folder, "server/index.js"), { name: "hello", entry: "./src/section.ts" });
}

describe("a page's paths", () => {
  test("are listed with whether search engines may", async () => {
    const head = "head: ({ data }) => data.language === 'Welsh' ? { robots: 'noindex,nofollow' } : {}";
    const source = moduleWith(`${head}, data: ({ params }) => params, paths: () => ["/hello/Dutch", "/hello/Welsh"]`);
    expect(await named(source)).toEqual(
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

  test("may be none", async () => {
    expect(await named(moduleWith("paths: undefined"))).toEqual(new Map([["/hello/:language", []]]));
  });

  test("may have data that is absent or takes a while", async () => {
    const none = new Map([["/hello/:language", [{ path: "/hello/Dutch", indexable: true }]]]);
    expect(await named(moduleWith("data: () => undefined"))).toEqual(none);
    expect(await named(moduleWith("data: async () => [1, null, { a: 'b' }]"))).toEqual(none);
  });
});

test("a module that another build left at the same place is read afresh", async () => {
  const folder = await helloSection({ "server/index.js": moduleWith("") });
  const file = path.join(folder, "server/index.js");
  const config = { name: "hello", entry: "./src/section.ts" };
  expect((await namePaths(file, config)).get("/hello/:language")).toHaveLength(1);
  await writeFiles(folder, { "server/index.js": moduleWith("paths: () => []") });
  expect((await namePaths(file, config)).get("/hello/:language")).toHaveLength(0);
});

describe("refused is", () => {
  test.each([
    ["a function", "() => ({ say: () => 1 })"],
    ["a date", "() => ({ day: new Date(0) })"],
    ["a map", "() => new Map()"],
    ["a key without value", "() => ({ words: undefined })"],
    ["no number", "() => [NaN]"],
    ["a bigint", "() => ({ count: 1n })"],
    ["a cycle", "() => { const it = {}; it.self = it; return it; }"],
  ])("data that is no JSON: %s", async (_, data) => {
    await expect(named(moduleWith(`data: ${data}`))).rejects.toThrow(
      new UsageError("the data of /hello/Dutch does not survive JSON; a page's data is serialisable"),
    );
  });

  test.each<[string, string, string]>([
    [
      "a path of another pattern",
      moduleWith('paths: () => ["/goodbye/Dutch"]'),
      'paths() of the page "/hello/:language" names /goodbye/Dutch, which its pattern does not match',
    ],
    [
      "a path with a trailing slash",
      moduleWith('paths: () => ["/hello/Dutch/"]'),
      'paths() of the page "/hello/:language" names /hello/Dutch/, which its pattern does not match',
    ],
    [
      "a path that names nothing",
      moduleWith('data: () => notFound("Language not found")'),
      'paths() of the page "/hello/:language" names /hello/Dutch, of which its data says "Language not found"',
    ],
    [
      "another name than the configuration's",
      moduleWith("", 'name: "goodbye"'),
      'defineSection says the name "goodbye", section.config.js says "hello"',
    ],
    [
      "another contract than the kit's",
      moduleWith("", "contract: 2"),
      "the section says contract 2; this kit builds contract 1",
    ],
    [
      "a page's module without a page",
      moduleWith("", 'pages: { "/hello": async () => ({ Page: () => null }) }'),
      'the module of the page "/hello" exports no "page"',
    ],
    [
      "a slot's module without a slot",
      moduleWith("", "slots: { join: async () => ({ default: {} }) }"),
      'the module of the slot "join" exports no "slot"',
    ],
  ])("%s", async (_, source, problem) => {
    await expect(named(source)).rejects.toThrow(new UsageError(problem));
  });

  test.each([
    ["while its modules load", 'throw new Error("two languages share a path");'],
    ["in data()", moduleWith('data: () => { throw new Error("two languages share a path"); }')],
    ["in paths()", moduleWith('paths: () => { throw new Error("two languages share a path"); }')],
  ])("a section that throws %s", async (_, source) => {
    await expect(named(source)).rejects.toThrow(new Error("two languages share a path"));
  });
});
