import { beforeAll, expect, test, vi } from "vitest";

import { jsonResponse } from "../../fixtures/admin.js";
import { admin, failure, MemoryStream, onlyRequest, runSection } from "../../fixtures/command.js";
import { helloSection, temporaryFolder } from "../../fixtures/temporary.js";
import { formatAge } from "./table.js";

const SINCE = "2026-01-31T10:02:03Z";

function error(version: string, fields: object): object {
  const seen = { firstSeen: "2026-01-31T11:00:00Z", lastSeen: new Date(Date.now() - 7_200_000).toISOString() };
  return {
    section: "hello",
    version,
    page: "/hello",
    source: "browser",
    cause: "render",
    count: 1,
    ...seen,
    ...fields,
  };
}

const ERRORS = [
  error("1.1.0", { class: "TypeError", count: 12 }),
  error("1.0.0", {
    page: null,
    extensionPoint: "directory/aside@1",
    source: "gateway",
    cause: "memory_limit",
    class: null,
  }),
];

let folder: string;

beforeAll(async () => {
  folder = await helloSection();
});

test("errors shows release, page, cause, class, count and age", async () => {
  admin.response = jsonResponse({ since: SINCE, errors: ERRORS });
  expect(await runSection(folder, ["errors"])).toEqual({
    code: 0,
    out: `release      page               cause                   class      position  count  last seen
hello@1.1.0  /hello             render (browser)        TypeError  -         12     2 hours ago
hello@1.0.0  directory/aside@1  memory_limit (gateway)  -          -         1      2 hours ago
`,
    err: "",
  });
  expect(onlyRequest().line).toBe("GET /api/v1/sections/hello/errors");
});

test("--release selects errors, and --json prints them", async () => {
  admin.response = jsonResponse({ since: SINCE, errors: ERRORS });
  const { out } = await runSection(folder, ["errors", "--release", "1.0.0", "--json"]);
  expect(JSON.parse(out)).toEqual({ since: SINCE, errors: [ERRORS[1]] });
});

test("an empty list names the start of the gateway", async () => {
  admin.response = jsonResponse({ since: SINCE, errors: ERRORS });
  const { out } = await runSection(folder, ["errors", "--release", "2.0.0"]);
  expect(out).toBe("no errors of hello@2.0.0 since 2026-01-31 10:02 UTC, when this gateway started\n");
});

test("--watch shows errors again when they change", async () => {
  admin.response = jsonResponse({ since: SINCE, errors: [] });
  const stdout = new MemoryStream();
  const output = runSection(folder, ["errors", "--watch"], {}, { stdout });
  const written = (text: string): Promise<void> =>
    vi.waitFor(
      () => {
        expect(stdout.written).toContain(text);
      },
      { timeout: 30_000 },
    );
  await written("no errors");
  admin.response = jsonResponse({ since: SINCE, errors: ERRORS });
  await written("TypeError");
  process.emit("SIGINT");
  expect((await output).code).toBe(0);
});

test("--section replaces the section of this folder", async () => {
  const empty = await temporaryFolder();
  admin.response = jsonResponse({ since: SINCE, errors: [] });
  await runSection(empty, ["errors", "--section", "shell"]);
  expect(onlyRequest().line).toBe("GET /api/v1/sections/shell/errors");
  expect(await runSection(empty, ["errors"])).toEqual(
    failure(
      `${empty} has no section.config.js; run this in the folder of a section, or name one with --section <name>`,
    ),
  );
  expect(await runSection(empty, ["errors", "--section", "../x"])).toEqual(
    failure('invalid section name "../x"; expected a lowercase letter followed by up to 31 of a-z, 0-9 and "-"'),
  );
});

test.each([
  ["2026-01-31T11:59:59.5Z", "0 seconds ago"],
  ["2026-01-31T11:59:00Z", "1 minute ago"],
  ["2026-01-31T09:01:00Z", "2 hours ago"],
  ["2026-01-29T11:00:00Z", "2 days ago"],
  // The clock of the gateway is ahead.
  ["2026-01-31T12:00:05Z", "0 seconds ago"],
  ["unknown", "unknown"],
])("formatAge of %s is %s", (time, expected) => {
  expect(formatAge(time, Date.parse("2026-01-31T12:00:00Z")).replace("in ", "")).toBe(expected);
});
