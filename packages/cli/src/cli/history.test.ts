import { beforeAll, expect, test } from "vitest";

import { jsonResponse } from "../../fixtures/admin.js";
import { admin, argumentFailure, onlyRequest, runSection } from "../../fixtures/command.js";
import { temporaryFolder } from "../../fixtures/temporary.js";

const ENTRIES = [
  {
    revision: 41,
    at: "2026-01-31T10:02:03Z",
    by: "hello team",
    action: "rollout",
    live: 12,
    candidate: 13,
    percent: 10,
    sections: { hello: { from: "1.0.0", to: "1.1.0" } },
    reason: "a better greeting,\n  for once",
  },
  {
    revision: 40,
    at: "2026-01-30T10:02:03Z",
    by: "operator",
    action: "promote",
    live: 12,
    candidate: 12,
    sections: { hello: { from: null, to: "1.0.0" }, greetings: { from: "0.9.0", to: null } },
  },
  { revision: 39, at: "2026-01-29T10:02:03Z", by: "gateway", action: "automatic-abort", live: 11, sections: {} },
];

let folder: string;

beforeAll(async () => {
  folder = await temporaryFolder();
});

test("history prints each change on one line", async () => {
  const sources = { "hello@1.1.0": { commit: "4bf92f3577b34da6a3ce" }, "hello@1.0.0": { author: "jose" } };
  admin.response = jsonResponse({ entries: ENTRIES, sources, next: null });
  expect(await runSection(folder, ["history"])).toEqual({
    code: 0,
    out: `revision  time                  by          action           live  candidate   reason                       sections
41        2026-01-31 10:02 UTC  hello team  rollout          12    13 for 10%  a better greeting, for once  hello 1.0.0 to 1.1.0 (4bf92f3577b3)
40        2026-01-30 10:02 UTC  operator    promote          12    -           -                            hello 1.0.0 added, greetings 0.9.0 removed
39        2026-01-29 10:02 UTC  gateway     automatic-abort  11    -           -                            -
`,
    err: "",
  });
  expect(onlyRequest().line).toBe("GET /api/v1/history?limit=20");
});

test.each([
  [true, "pause"],
  [false, "resume"],
])("a change with paused: %j is shown as %s", async (paused, action) => {
  admin.response = jsonResponse({ entries: [{ ...ENTRIES[0], action: "percent", paused }], next: null });
  expect((await runSection(folder, ["history"])).out).toContain(`hello team  ${action}`);
});

test("a switched extension is named", async () => {
  const switched = { ...ENTRIES[2], action: "extension-off", extension: { section: "events", point: "page/aside" } };
  admin.response = jsonResponse({ entries: [switched], next: null });
  const { out } = await runSection(folder, ["history"]);
  expect(out.split("\n")[1]).toMatch(/ extension-off +11 .* events in page\/aside$/);
});

test("--limit and --before select a page, and print the next", async () => {
  admin.response = jsonResponse({ entries: ENTRIES.slice(0, 1), next: 41 });
  const { out } = await runSection(folder, ["history", "--limit", "1", "--before", "42"]);
  expect(out).toMatch(/\n\nolder changes: colonnade history --before 41\n$/);
  expect(onlyRequest().line).toBe("GET /api/v1/history?limit=1&before=42");
});

test("an empty history is reported", async () => {
  admin.response = jsonResponse({ entries: [], next: null });
  expect((await runSection(folder, ["history"])).out).toBe("no changes\n");
});

test("--section selects its changes, and names it for older ones", async () => {
  admin.response = jsonResponse({ entries: [ENTRIES[1]], next: 39 });
  const { out } = await runSection(folder, ["history", "--section", "greetings"]);
  expect(out).toMatch(/\n\nolder changes: colonnade history --section greetings --before 39\n$/);
  expect(onlyRequest().line).toBe("GET /api/v1/history?limit=20&section=greetings");
});

test.each([
  [null, "no changes of greetings\n"],
  [
    39,
    "no changes of greetings in this part of the history\n\nolder changes: colonnade history --section greetings --before 39\n",
  ],
])("--section without changes in a page with next %j says so", async (next, text) => {
  admin.response = jsonResponse({ entries: [], next });
  expect((await runSection(folder, ["history", "--section", "greetings"])).out).toBe(text);
});

test("--json prints the response", async () => {
  admin.response = jsonResponse({ entries: ENTRIES, next: 39 });
  expect(JSON.parse((await runSection(folder, ["history", "--json"])).out)).toEqual({ entries: ENTRIES, next: 39 });
});

test("control characters in a reason are replaced", async () => {
  admin.response = jsonResponse({ entries: [{ ...ENTRIES[1], reason: "\x1b[2Jgone" }], next: null });
  const { out } = await runSection(folder, ["history"]);
  expect(out).not.toContain("\x1b");
  expect(out).toContain("\ufffd[2Jgone");
});

test.each([
  ["--limit <number>", "0", "Expected a number of changes, 1 to 500."],
  ["--before <revision>", "x", "Expected a revision number, 1 or more."],
])("%s with %j is rejected", async (flags, value, expected) => {
  const [name = ""] = flags.split(" ");
  expect(await runSection(folder, ["history", name, value])).toEqual(
    argumentFailure("history", `option '${flags}' argument '${value}' is invalid. ${expected}`),
  );
});
