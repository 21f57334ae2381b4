import { expect, test } from "vitest";

import { jsonResponse } from "../../fixtures/admin.js";
import { admin, builtFolder, runSection } from "../../fixtures/command.js";
import { writeFiles } from "../../fixtures/temporary.js";

// Line 1, column 9 of the server module is line 12, column 8 of the source.
const SOURCE_MAP = JSON.stringify({ version: 3, sources: ["./src/pages/home.tsx"], names: [], mappings: "QAWO" });

async function folderWithSourceMap(): Promise<string> {
  const folder = await builtFolder();
  // Four characters that take eight bytes come before the position.
  await writeFiles(folder, {
    "release/server/index.js.map": SOURCE_MAP,
    "release/server/index.js": "/*üüüü*/broken()",
  });
  return folder;
}

function problemOf(release: string): string {
  return `rendering /hello (page /hello of ${release}) failed: broken\n  at Home (section:1:13)`;
}

test("a rejected deploy names the line in the sources", async () => {
  admin.response = jsonResponse({ title: "Unprocessable Content", problems: [problemOf("hello@1.1.0")] }, 422);
  const { code, err } = await runSection(await folderWithSourceMap(), ["deploy"]);
  expect(code).toBe(4);
  expect(err).toContain("failed: broken\n  at Home (src/pages/home.tsx:12:8)\n");
});

test("a rejected extension names the line in the sources", async () => {
  const problem = problemOf("hello@1.1.0").replace("/hello (page /hello", "`home/aside@1` (extension");
  admin.response = jsonResponse(
    { problems: [problem.replace(" failed", " with example 2 of home@1.0.0, `{}`, failed")] },
    422,
  );
  const { err } = await runSection(await folderWithSourceMap(), ["deploy"]);
  expect(err).toContain("failed: broken\n  at Home (src/pages/home.tsx:12:8)\n");
});

test("a warning of a publish names the line in the sources", async () => {
  admin.response = jsonResponse({ warnings: [problemOf("hello@1.1.0")] }, 201);
  const { err } = await runSection(await folderWithSourceMap(), ["publish"]);
  expect(err).toContain("at Home (src/pages/home.tsx:12:8)\n");
});

test("positions of other sections are left out", async () => {
  const problems = [problemOf("hello@1.1.0"), problemOf("other@2.0.0")];
  admin.response = jsonResponse({ problems }, 422);
  const { err } = await runSection(await folderWithSourceMap(), ["deploy"]);
  expect(err.match(/at Home.*/g)).toEqual(["at Home (src/pages/home.tsx:12:8)", "at Home"]);
});

test("errors without this release, or without a map, stay unchanged", async () => {
  admin.response = jsonResponse({ problems: [problemOf("hello@1.2.0")] }, 422);
  expect((await runSection(await folderWithSourceMap(), ["deploy"])).err).toContain("(section:1:13)");
  admin.response = jsonResponse({ problems: [problemOf("hello@1.1.0")] }, 422);
  expect((await runSection(await builtFolder(), ["deploy"])).err).toContain("(section:1:13)");
});

test("errors of the built release have positions in the sources", async () => {
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
    error("1.1.0", "section:1:13"),
    error("1.0.0", "section:1:13"),
    // Browsers count UTF-16 code units.
    error("1.1.0", "client/entry.1.js:1:9"),
    error("1.0.0", "client/entry.1.js:1:9"),
    error("1.1.0", "client/unmapped.js:1:9"),
    error("1.1.0", "client/../../secret.js:1:9"),
  ];
  admin.response = jsonResponse({ since: "2026-01-31T10:02:03Z", errors });
  const folder = await folderWithSourceMap();
  await writeFiles(folder, { "release/client/entry.1.js.map": SOURCE_MAP, "secret.js.map": SOURCE_MAP });
  const { out } = await runSection(folder, ["errors", "--section", "hello"]);
  const shown = [...out.matchAll(/^(hello@\S+) .* (\S+:\d+:\d+) /gm)].map(([, ...columns]) => columns.join(" "));
  expect(shown).toEqual([
    "hello@1.1.0 src/pages/home.tsx:12:8",
    "hello@1.0.0 section:1:13",
    "hello@1.1.0 src/pages/home.tsx:12:8",
    "hello@1.0.0 client/entry.1.js:1:9",
    "hello@1.1.0 client/unmapped.js:1:9",
    "hello@1.1.0 client/../../secret.js:1:9",
  ]);
});
