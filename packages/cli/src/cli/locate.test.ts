import { beforeEach, expect, test } from "vitest";

import { jsonResponse, TOKEN } from "../../fixtures/admin.js";
import { admin, builtFolder, runSection } from "../../fixtures/command.js";
import { locateAt } from "./api.js";

// Line 1, column 9 of the script is line 12, column 8 of the source.
const SOURCE_MAP = { version: 3, sources: ["src/pages/home.tsx"], names: [], mappings: "QAWO" };

function sourceMapOf(name: string, version: string, script: string): string {
  return `GET /api/v1/sections/${name}/releases/${version}/source-map?script=${encodeURIComponent(script)}`;
}

function problemOf(release: string): string {
  return `rendering /hello (page /hello of ${release}) failed: broken\n  at Home (section:1:9)`;
}

beforeEach(() => {
  admin.responses = { [sourceMapOf("hello", "1.1.0", "section")]: jsonResponse(SOURCE_MAP) };
});

test("a rejected deploy names the line in the sources", async () => {
  admin.response = jsonResponse({ title: "Unprocessable Content", problems: [problemOf("hello@1.1.0")] }, 422);
  const { code, err } = await runSection(await builtFolder(), ["deploy"]);
  expect(code).toBe(4);
  expect(err).toContain("failed: broken\n  at Home (src/pages/home.tsx:12:8)\n");
});

test("a rejected extension names the line in the sources", async () => {
  const problem = problemOf("hello@1.1.0").replace("/hello (page /hello", "`home/aside@1` (extension");
  admin.response = jsonResponse(
    { problems: [problem.replace(" failed", " with example 2 of home@1.0.0, `{}`, failed")] },
    422,
  );
  const { err } = await runSection(await builtFolder(), ["deploy"]);
  expect(err).toContain("failed: broken\n  at Home (src/pages/home.tsx:12:8)\n");
});

test("a warning of a publish names the line in the sources", async () => {
  admin.response = jsonResponse({ warnings: [problemOf("hello@1.1.0")] }, 201);
  const { err } = await runSection(await builtFolder(), ["publish"]);
  expect(err).toContain("at Home (src/pages/home.tsx:12:8)\n");
});

test("positions stay where the gateway has no usable source map", async () => {
  const problems = ["hello@1.1.0", "hello@1.0.0", "other@2.0.0", "other@2.1.0"].map(problemOf);
  admin.responses = {
    ...admin.responses,
    [sourceMapOf("hello", "1.0.0", "section")]: jsonResponse({ title: "Not Found" }, 404),
    [sourceMapOf("other", "2.0.0", "section")]: jsonResponse({ title: "Forbidden" }, 403),
    [sourceMapOf("other", "2.1.0", "section")]: jsonResponse({ version: 3 }),
  };
  admin.response = jsonResponse({ problems }, 422);
  const { err } = await runSection(await builtFolder(), ["deploy"]);
  expect(err.match(/at Home.*/g)).toEqual([
    "at Home (src/pages/home.tsx:12:8)",
    ...Array.from({ length: 3 }, () => "at Home (section:1:9)"),
  ]);
});

test("errors have positions in the sources, and each source map is read once", async () => {
  const error = (version: string, position: string): object => ({
    section: "hello",
    version,
    page: "/hello",
    source: "gateway",
    cause: "exception",
    class: "TypeError",
    position,
    count: 1,
    lastSeen: new Date().toISOString(),
  });
  const errors = [
    error("1.1.0", "section:1:9"),
    error("1.1.0", "section:1:9"),
    // Nothing is mapped before it.
    error("1.1.0", "section:1:3"),
    error("1.1.0", "client/entry.1.js:1:9"),
    error("1.0.0", "client/entry.1.js:1:9"),
  ];
  const client = sourceMapOf("hello", "1.1.0", "client/entry.1.js");
  const list = "GET /api/v1/sections/hello/errors";
  admin.responses = {
    ...admin.responses,
    [client]: jsonResponse(SOURCE_MAP),
    [list]: jsonResponse({ since: "2026-01-31T10:02:03Z", errors }),
  };
  admin.response = jsonResponse({ title: "Not Found" }, 404);
  const { out } = await runSection(await builtFolder(), ["errors", "--section", "hello"]);
  const shown = [...out.matchAll(/^(hello@\S+) .* (\S+:\d+:\d+) /gm)].map(([, ...columns]) => columns.join(" "));
  expect(shown).toEqual([
    "hello@1.1.0 src/pages/home.tsx:12:8",
    "hello@1.1.0 src/pages/home.tsx:12:8",
    "hello@1.1.0 section:1:3",
    "hello@1.1.0 src/pages/home.tsx:12:8",
    "hello@1.0.0 client/entry.1.js:1:9",
  ]);
  expect(admin.requests.map(({ line }) => line).sort()).toEqual(
    [list, client, sourceMapOf("hello", "1.1.0", "section"), sourceMapOf("hello", "1.0.0", "client/entry.1.js")].sort(),
  );
});

test.each([
  [503, 2],
  [404, 1],
])("a source map with the status %i is read %i times", async (status, times) => {
  const line = sourceMapOf("hello", "1.1.0", "section");
  admin.requests = [];
  admin.responses = { [line]: jsonResponse({}, status) };
  const locate = locateAt({ url: admin.url, token: TOKEN, advice: "" });
  for (let time = 0; time < 2; time++) expect(await locate("hello@1.1.0", "section:1:9")).toBe("section:1:9");
  expect(admin.requests).toHaveLength(times);
});
