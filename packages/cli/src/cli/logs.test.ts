import { beforeAll, beforeEach, expect, test, vi } from "vitest";

import { jsonResponse } from "../../fixtures/admin.js";
import { admin, MemoryStream, runSection, type CommandOutput } from "../../fixtures/command.js";
import { helloSection } from "../../fixtures/temporary.js";

const AT = "2026-01-31T10:02:03Z";
const RELEASE = "hello@1.1.0";
// Line 1, column 1 of the server module is line 12, column 8 of the source.
const SOURCE_MAP = { version: 3, sources: ["src/pages/home.tsx"], names: [], mappings: "AAWO" };

const ENTRIES = [
  { id: 7, at: AT, kind: "published", release: RELEASE, by: "hello team" },
  { id: 8, at: AT, kind: "publish-rejected", release: RELEASE, by: "hello team", problems: ["no entry", "no page"] },
  { id: 9, at: AT, kind: "trial-started", release: RELEASE, action: "publish" },
  {
    id: 10,
    at: AT,
    kind: "trial-failed",
    release: RELEASE,
    action: "publish",
    problems: [`rendering /hello (page /hello of ${RELEASE}) failed: broken\n  at Home (section:1:1)`],
  },
  { id: 11, at: AT, kind: "trial-passed", release: RELEASE, action: "deploy" },
  {
    id: 12,
    at: AT,
    kind: "changed",
    change: {
      revision: 4,
      at: AT,
      by: "operator",
      action: "rollout",
      live: 12,
      candidate: 13,
      percent: 10,
      sections: { hello: { from: "1.0.0", to: "1.1.0" } },
      reason: "a test",
    },
  },
];

const TEXT = `2026-01-31 10:02 UTC  hello@1.1.0 was published by hello team
2026-01-31 10:02 UTC  hello@1.1.0 was rejected; published by hello team
  - no entry
  - no page
2026-01-31 10:02 UTC  hello@1.1.0 trial render of the publish started
2026-01-31 10:02 UTC  hello@1.1.0 trial render of the publish failed
  - rendering /hello (page /hello of hello@1.1.0) failed: broken
    at Home (src/pages/home.tsx:12:8)
2026-01-31 10:02 UTC  hello@1.1.0 trial render of the deploy passed
2026-01-31 10:02 UTC  rollout by operator: hello 1.0.0 to 1.1.0; deployment 12 is live; candidate 13; 10% of visitors; a test
`;

let folder: string;

beforeAll(async () => {
  folder = await helloSection();
});

beforeEach(() => {
  admin.responses = {
    "GET /api/v1/sections/hello/releases/1.1.0/source-map?script=section": jsonResponse(SOURCE_MAP),
  };
});

function respondWith(query: string, entries: readonly object[]): void {
  admin.responses = { ...admin.responses, [`GET /api/v1/sections/hello/logs${query}`]: jsonResponse({ entries }) };
}

/** Runs `logs --follow` until the streams contain the text, and interrupts it. */
async function followUntil(text: string, ...args: readonly string[]): Promise<CommandOutput> {
  const [stdout, stderr] = [new MemoryStream(), new MemoryStream()];
  const output = runSection(folder, ["logs", "--follow", ...args], {}, { stdout, stderr });
  await vi.waitFor(
    () => {
      expect(stdout.written + stderr.written).toContain(text);
    },
    { timeout: 30_000 },
  );
  process.emit("SIGINT");
  return output;
}

test("logs prints every entry, with positions in the sources", async () => {
  respondWith("", ENTRIES);
  expect(await runSection(folder, ["logs"])).toEqual({ code: 0, out: TEXT, err: "" });
});

test("an empty log is reported", async () => {
  respondWith("", []);
  expect((await runSection(folder, ["logs"])).out).toBe("no log entries of hello since this gateway started\n");
});

test("--json prints the log as one value", async () => {
  respondWith("", ENTRIES.slice(0, 1));
  expect(JSON.parse((await runSection(folder, ["logs", "--json"])).out)).toEqual({ entries: ENTRIES.slice(0, 1) });
});

test("--follow resumes after the last entry", async () => {
  // The gateway does not respond to the request after the last entry.
  admin.response = undefined;
  respondWith("", ENTRIES.slice(0, 2));
  respondWith("?after=8&wait=20", []);
  const following = followUntil("trial render of the deploy passed");
  await vi.waitFor(() => {
    expect(admin.requests.length).toBeGreaterThanOrEqual(2);
  });
  respondWith("?after=8&wait=20", ENTRIES.slice(2));
  const { code, out, err } = await following;
  expect({ code, out, err }).toEqual({ code: 0, out: TEXT, err: "" });
});

test("--follow --json prints one entry per line", async () => {
  admin.response = undefined;
  respondWith("", ENTRIES.slice(0, 3));
  const { out } = await followUntil('"id":9', "--json");
  expect(
    out
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as object),
  ).toEqual(ENTRIES.slice(0, 3));
});

test("--follow waits for the first entry and retries", async () => {
  admin.response = jsonResponse({ title: "Service Unavailable" }, 503);
  respondWith("", []);
  const { code, out, err } = await followUntil("503");
  expect({ code, out }).toEqual({ code: 0, out: "" });
  expect(err).toMatch(/^no log entries of hello since this gateway started; waiting\nwarning: GET .*: 503 .*\n/);
});
