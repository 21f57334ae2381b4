// Runs `colonnade check` and `colonnade build` on a section whose pages and extensions have examples.
import { readFile, readdir } from "node:fs/promises";
import path from "node:path";

import { beforeAll, expect, test } from "vitest";

import { runCompiled } from "../../fixtures/command.js";
import { labSection, pageSource } from "../../fixtures/lab.js";
import type { Problem } from "./problem.js";

const QUERIES = "anyParams: true, queries: ({ params }) => ({ event: query(`/api/events/${params.id}`, schema) }),";
const DATA = "data: ({ results: { event } }) => (event.ok ? event.value.title : null),";
const IMPORTS = `import { query } from "@colonnade/kit"; import * as v from "valibot"; import events from "../events.json"; \
import { point } from "../points"; const schema = v.object({ title: v.string() });`;

/** A page with queries. Line 4 of its module has `fields`, and line 5 its queries. */
const event = (fields: string, component = "<h1>{String(data)}</h1>"): string =>
  pageSource(`${fields}\n${QUERIES}\n${DATA}\nComponent: ({ data }: { data: string | null }) => ${component}`, IMPORTS);

const example = (path: string, results: string): string =>
  `examples: () => [{ path: "${path}", results: ${results} }],`;

/** The fields of each page, its problems, and its component. */
const PAGES: Readonly<Record<string, readonly [fields: string, problems: readonly string[], component?: string]>> = {
  good: [`${example("/lab/good/7", "{ event: { ok: true, value: events[0] } }")} extensionPoints: [point],`, []],
  throws: [
    example("/lab/throws/7", "{ event: { ok: true, value: events[0] } }"),
    [
      "COL103 rendering /lab/throws/7 (page /lab/throws/:id) with example 1 used toLocaleUpperCase() src/pages/throws.tsx:7:68",
    ],
    "<h1>{data ? data.toLocaleUpperCase() : ''}</h1>",
  ],
  several: [
    example("/lab/several/7", "{ event: { ok: true, value: events[0] } }"),
    [
      "COL103 rendering /lab/several/7 (page /lab/several/:id) with example 1 used toLocaleUpperCase() src/pages/several.tsx:7:68",
      "COL103 rendering /lab/several/7 (page /lab/several/:id) with example 1 used localeCompare() src/pages/several.tsx:7:95",
      'COL150 /lab/several/7 (page /lab/several/:id) with example 1 breaks the axe rule image-alt: <img src="/assets/a.png"> src/pages/several.tsx:7:12',
    ],
    "<h1>{data ? data.toLocaleUpperCase() + data.localeCompare('a') : ''}<img src='/assets/a.png' /></h1>",
  ],
  results: [
    example(
      "/lab/results/7",
      "{ event: { ok: true, value: { title: 7 } }, events: { ok: false, status: 404 } } as never",
    ),
    [
      'COL163 /lab/results/7 (page /lab/results/:id) with example 1: the result "events" is that of no query; its queries are event src/pages/results.tsx:4:11',
      'COL163 /lab/results/7 (page /lab/results/:id) with example 1: the result of the query "event" does not fit its schema: title: Invalid type: Expected string but received 7 src/pages/results.tsx:4:11',
    ],
  ],
  missing: [
    'examples: () => [{ path: "/lab/missing/7" }],',
    [
      'COL163 /lab/missing/7 (page /lab/missing/:id) with example 1: the result of the query "event" is missing; expected { ok: true, value } or { ok: false, status } src/pages/missing.tsx:4:11',
    ],
  ],
  elsewhere: [
    example("/lab/other/7", "{ event: { ok: false, status: 404 } }"),
    [
      'COL163 example 1 of the page "/lab/elsewhere/:id" has the path /lab/other/7, which does not match the pattern src/pages/elsewhere.tsx:4:11',
    ],
  ],
  date: [
    example("/lab/date/7", "{ event: { ok: true, value: { title: new Date(0) } } } as never"),
    ['COL163 example 1 of the page "/lab/date/:id" is not JSON with path and results src/pages/date.tsx:4:11'],
  ],
  list: [
    "examples: () => ({}) as never,",
    ['COL163 examples() of the page "/lab/list/:id" does not return a list of at most 20 src/pages/list.tsx:4:11'],
  ],
  fails: [
    "examples: () => { throw new Error('broken'); },",
    ["COL110 examples() of the page /lab/fails/:id threw Error: broken src/pages/fails.tsx:4:25"],
  ],
  none: [
    "anyParams: true,",
    [
      'COL164 the page "/lab/none/:id" has queries, but no examples: its data runs only with failed queries src/pages/none.tsx:5:27',
    ],
  ],
  listed: [
    "paths: () => ['/lab/listed/7'],",
    [
      'COL164 the page "/lab/listed/:id" has queries, but no examples: its data runs only with failed queries src/pages/listed.tsx:5:27',
    ],
  ],
};

const ASIDE = `import { defineExtension } from "@colonnade/kit/extensions"; import { query } from "@colonnade/kit";
import * as v from "valibot"; import events from "./events.json"; const schema = v.object({ title: v.string() });
export const extension = defineExtension({
queries: ({ props }: { props: { city: string } }) => ({ event: query(\`/api/events/\${props.city}\`, schema) }),
data: ({ results: { event } }) => event.ok ? event.value : null,
examples: () => [{ props: { city: "Nome" }, results: { event: { ok: true, value: events[0] } } }],
Component: ({ data }) => { if (data.title !== "none") throw new Error("broken"); return <p>{data.title}</p>; },
});`;

const FILES = {
  "src/events.json": JSON.stringify([{ title: "only in examples" }]),
  "src/points.ts": `import { defineExtensionPoint } from "@colonnade/kit/extensions";
export const point = defineExtensionPoint<{ city: string }>({
  id: "hello/aside", version: 2, max: 1,
  examples: [{ city: "Austin" },
    { city: "Boston" }],
});`,
};

async function sectionWith(names: readonly string[], aside: string): Promise<string> {
  const pages = names.map((name): [string, string] => {
    const [fields, , component] = PAGES[name] ?? [""];
    return [name, event(fields, component)];
  });
  const patterns = Object.fromEntries(names.map((name) => [name, `/lab/${name}/:id`]));
  const bare = aside.replace(/^examples.*\n/m, "");
  const files = { ...FILES, "src/aside.tsx": aside, "src/bare.tsx": bare };
  const extensions = { "directory/city-aside@1": "./aside", "directory/bare@1": "./bare" };
  return labSection(Object.fromEntries(pages), patterns, files, extensions);
}

let problems: readonly string[];

beforeAll(async () => {
  const folder = await sectionWith(Object.keys(PAGES), ASIDE);
  const { out, err } = await runCompiled(folder, ["check", "--json"]);
  if (out === "") throw new Error(err);
  const found = (JSON.parse(out) as { problems: Problem[] }).problems;
  problems = found.map(({ code, message, location = "" }) => `${code} ${message} ${location}`);
});

test.each(Object.entries(PAGES))("examples of the page %s are checked", (name, [, expected]) => {
  expect(problems.filter((text) => text.includes(`src/pages/${name}.tsx`))).toEqual(expected);
});

test("example of an extension is checked, without a point", () => {
  expect(problems.filter((text) => text.includes("src/aside.tsx"))).toEqual([
    "COL110 rendering the extension directory/city-aside@1 with its own example 1 threw Error: broken src/aside.tsx:7:61",
  ]);
});

test("extension with queries, but without examples, is a warning", () => {
  expect(problems.filter((text) => text.includes("src/bare.tsx"))).toEqual([
    'COL164 the extension "directory/bare@1" has queries, but no examples: its data runs only with failed queries src/bare.tsx:4:10',
  ]);
});

test("release has examples in a private file, and nowhere else", async () => {
  const folder = await sectionWith(["good"], ASIDE.replace("none", "only in examples"));
  for (const command of ["check", "build"]) {
    const { code, err } = await runCompiled(folder, [command]);
    expect(code, err).toBe(0);
  }
  const release = path.join(folder, "release");
  const { examples } = JSON.parse(await readFile(path.join(release, "release.json"), "utf8")) as { examples: string };
  expect(JSON.parse(await readFile(path.join(release, examples), "utf8"))).toEqual({
    pages: [
      {
        pattern: "/lab/good/:id",
        path: "/lab/good/7",
        results: { event: { ok: true, value: { title: "only in examples" } } },
        source: "src/pages/good.tsx:4:11",
      },
    ],
    extensions: [
      {
        point: "directory/city-aside@1",
        props: { city: "Nome" },
        results: { event: { ok: true, value: { title: "only in examples" } } },
        source: "src/aside.tsx:6:11",
      },
    ],
    points: [{ point: "hello/aside@2", sources: ["src/points.ts:4:14", "src/points.ts:5:5"] }],
  });
  for (const file of await readdir(release, { recursive: true, withFileTypes: true })) {
    if (!file.isFile() || file.name.endsWith(".map") || file.name === path.basename(examples)) continue;
    const text = await readFile(path.join(file.parentPath, file.name), "utf8");
    expect(text, file.name).not.toMatch(/examples: \(\)|"Nome"/);
  }
});
