import { readFile } from "node:fs/promises";
import path from "node:path";

import { beforeAll, expect, test, vi } from "vitest";

import { jsonResponse } from "../../fixtures/admin.js";
import { admin, failure, MemoryStream, runSection, type CommandOutput } from "../../fixtures/command.js";
import status from "../../fixtures/status.json" with { type: "json" };
import { temporaryFolder } from "../../fixtures/temporary.js";

// Both are also those of `gateway status`, which has the same words.
const { rollouts: ROLLOUTS, sections: SECTIONS, ...PROBLEMS } = status;

let folder: string;

beforeAll(async () => {
  folder = await temporaryFolder();
});

function respondWith(
  deployments: object,
  sections: object,
  rollouts = jsonResponse(ROLLOUTS),
  problems: Readonly<Partial<Record<"unavailable" | "settingProblems" | "leftOutExtensions", readonly string[]>>> = {},
): void {
  admin.responses = {
    "GET /api/v1/deployments": jsonResponse(deployments),
    "GET /api/v1/sections": jsonResponse(sections),
    "GET /api/v1/rollouts": rollouts,
    "GET /api/v1/gateway": jsonResponse({ unavailable: [], settingProblems: [], leftOutExtensions: [], ...problems }),
  };
}

test("status shows live deployment, problems, rollouts and releases", async () => {
  respondWith({ live: 12, rollouts: ROLLOUTS, deployments: [] }, SECTIONS, undefined, PROBLEMS);
  const expected = await readFile(path.join(import.meta.dirname, "../../fixtures/status.txt"), "utf8");
  expect(await runSection(folder, ["status"])).toEqual({ code: 0, out: expected, err: "" });
});

test("--section shows one section and its rollout", async () => {
  respondWith({ live: 12, rollouts: ROLLOUTS, deployments: [] }, SECTIONS);
  const shown = await runSection(folder, ["status", "--section", "directory", "--json"]);
  expect(JSON.parse(shown.out)).toMatchObject({ rollouts: [ROLLOUTS[0]], sections: [SECTIONS[0]] });
  expect(await runSection(folder, ["status", "--section", "none"])).toEqual(
    failure("no release of `none` is published"),
  );
});

test("status without rollouts shows no rollout table", async () => {
  respondWith({ live: 12, rollouts: [], deployments: [] }, []);
  expect((await runSection(folder, ["status"])).out).toBe("deployment 12 is live\n");
});

test("status names releases that are missing or damaged, missing settings, and extensions that no page shows", async () => {
  const settingProblem = "home@1.0.0 reads `site.facts.city` (a string), which the configuration does not have";
  const leftOut = "`directory/aside@1` shows 1 extension; news@1.0.0 (order 7) is left out";
  const problems = { unavailable: ["legal@1.0.0"], settingProblems: [settingProblem], leftOutExtensions: [leftOut] };
  respondWith({ live: 12, rollouts: [], deployments: [] }, [], undefined, problems);
  expect((await runSection(folder, ["status"])).out).toBe(
    `deployment 12 is live\nlegal@1.0.0 is missing or damaged: visitors do not get the section\n${settingProblem}\n${leftOut}\n`,
  );
});

test("an older gateway has no analysis", async () => {
  const rollout = { ...ROLLOUTS[0], analysis: undefined };
  const missing = jsonResponse({ title: "Not Found", status: 404 }, 404);
  respondWith({ live: 12, rollouts: [rollout], deployments: [] }, [], missing);
  const { code, out } = await runSection(folder, ["status"]);
  expect(code).toBe(0);
  expect(out).toContain("\ndirectory   13         10%       1 of 2, paused  -         directory team");
});

test("a gateway without deployments is reported", async () => {
  respondWith({ live: null, rollouts: [], deployments: [] }, []);
  expect((await runSection(folder, ["status"])).out).toBe("no deployment is live\n");
});

test("--json prints both responses as one value", async () => {
  respondWith({ live: 12, rollouts: ROLLOUTS, deployments: [] }, SECTIONS);
  const { out } = await runSection(folder, ["status", "--json"]);
  expect(JSON.parse(out)).toEqual({
    live: 12,
    rollouts: ROLLOUTS,
    sections: SECTIONS,
    unavailable: [],
    settingProblems: [],
    leftOutExtensions: [],
  });
});

const TIMEOUT = { timeout: 30_000 };

/** Runs `status --watch` until the streams contain the text, and interrupts it. */
async function watchUntil(
  text: string,
  args: readonly string[] = [],
  stdout = new MemoryStream(),
): Promise<CommandOutput> {
  const stderr = new MemoryStream();
  const output = runSection(folder, ["status", "--watch", ...args], {}, { stdout, stderr });
  await vi.waitFor(() => {
    expect(stdout.written + stderr.written).toContain(text);
  }, TIMEOUT);
  process.emit("SIGINT");
  return output;
}

test("--watch prints changes until interrupted", async () => {
  respondWith({ live: 12, rollouts: [] }, []);
  const stdout = new MemoryStream();
  const output = watchUntil("13", [], stdout);
  await vi.waitFor(() => {
    expect(stdout.written).toContain("12");
  }, TIMEOUT);
  respondWith({ live: 13, rollouts: [] }, []);
  expect(await output).toEqual({
    code: 0,
    out: "deployment 12 is live\ndeployment 13 is live\n",
    err: "",
  });
});

test("--watch on a terminal clears the screen", async () => {
  respondWith({ live: 12, rollouts: [] }, []);
  const { out } = await watchUntil("12", [], new MemoryStream(true));
  expect(out).toBe("\x1b[2J\x1b[Hdeployment 12 is live\n");
});

test("--watch --json prints one document per line", async () => {
  respondWith({ live: 12, rollouts: [] }, []);
  const { out } = await watchUntil("12", ["--json"], new MemoryStream(true));
  expect(out).toBe(
    '{"live":12,"rollouts":[],"sections":[],"unavailable":[],"settingProblems":[],"leftOutExtensions":[]}\n',
  );
});

test("--watch retries a failing gateway", async () => {
  const output = watchUntil("12");
  // These have been answered with an error.
  await vi.waitFor(() => {
    expect(admin.requests.length).toBeGreaterThanOrEqual(3);
  }, TIMEOUT);
  respondWith({ live: 12, rollouts: [] }, []);
  const { code, out, err } = await output;
  expect({ code, out }).toEqual({ code: 0, out: "deployment 12 is live\n" });
  expect(err).toMatch(/^warning: GET .*: 500\n?[^]*; retrying\n$/);
});

test("--watch ends when the token is rejected", async () => {
  admin.response = jsonResponse({ title: "Unauthorized" }, 401);
  expect((await runSection(folder, ["status", "--watch"])).code).toBe(5);
});

test("an interrupt ends --watch during a request", async () => {
  admin.response = undefined;
  const output = runSection(folder, ["status", "--watch"]);
  await vi.waitFor(() => {
    expect(admin.requests).toHaveLength(3);
  });
  process.emit("SIGINT");
  expect(await output).toEqual({ code: 0, out: "", err: "" });
});
