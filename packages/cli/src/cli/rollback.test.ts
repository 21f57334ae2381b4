import { Readable } from "node:stream";

import { beforeAll, beforeEach, expect, test } from "vitest";

import { jsonResponse } from "../../fixtures/admin.js";
import { admin, argumentFailure, failure, jsonBody, MemoryStream, runSection } from "../../fixtures/command.js";
import type { Input } from "./context.js";
import { helloSection, temporaryFolder } from "../../fixtures/temporary.js";

const ROLLED_BACK = { number: 14, releases: { hello: "1.0.0", shell: "2.0.0" }, live: true, rollouts: [] };
const PLAN = { live: 13, restores: null, sections: { hello: { from: "1.1.0", to: "1.0.0" } } };

let folder: string;
let emptyFolder: string;

beforeAll(async () => {
  folder = await helloSection();
  emptyFolder = await temporaryFolder();
});
beforeEach(() => {
  admin.responses = {
    "POST /api/v1/rollback/plan": jsonResponse(PLAN),
    "POST /api/v1/rollback": jsonResponse(ROLLED_BACK, 201),
  };
});

/** The lines of the requests, and the bodies by path. */
function sent(): { lines: string[]; plan: unknown; rollback: unknown } {
  const [plan, rollback] = admin.requests;
  return {
    lines: admin.requests.map(({ line }) => line),
    plan: plan && jsonBody(plan),
    rollback: rollback && jsonBody(rollback),
  };
}

/** A terminal on which an operator types this answer. */
function terminal(answer: string): Input {
  return Object.assign(Readable.from([`${answer}\n`]), { isTTY: true });
}

test("the section in this folder is rolled back without a build", async () => {
  expect(await runSection(folder, ["rollback", "--reason", "broken layout"])).toEqual({
    code: 0,
    out: "deployment 14 is live, with hello@1.0.0\n",
    err: "hello: 1.1.0 -> 1.0.0\n",
  });
  expect(sent()).toEqual({
    lines: ["POST /api/v1/rollback/plan", "POST /api/v1/rollback"],
    plan: { section: "hello" },
    rollback: { section: "hello", base: 13, reason: "broken layout" },
  });
});

test("a rollback of all sections names the restored deployment and each change", async () => {
  const sections = { hello: { from: "1.1.0", to: "1.0.0" }, legal: { from: "2.0.0", to: null } };
  admin.responses = {
    ...admin.responses,
    "POST /api/v1/rollback/plan": jsonResponse({ live: 13, restores: 9, sections }),
  };
  expect((await runSection(folder, ["rollback", "--all"])).err).toBe(`rollback to deployment 9:
hello: 1.1.0 -> 1.0.0
legal: 2.0.0 -> not live
`);
});

test.each([
  ["y", 0],
  ["yes", 0],
  ["n", 1],
  ["", 1],
])("the answer %j on a terminal decides", async (answer, code) => {
  const stderr = new MemoryStream(true);
  const result = await runSection(folder, ["rollback"], {}, { stderr, stdin: terminal(answer) });
  expect(result.code === 0 ? 0 : 1).toBe(code);
  expect(result.err).toContain("hello: 1.1.0 -> 1.0.0\nRoll back? [y/N] ");
  expect(sent().lines).toHaveLength(code === 0 ? 2 : 1);
});

test("--yes asks nothing on a terminal", async () => {
  const stderr = new MemoryStream(true);
  const args = ["rollback", "--yes"];
  const result = await runSection(folder, args, {}, { stderr, stdin: terminal("n") });
  expect(result).toMatchObject({ code: 0, err: "hello: 1.1.0 -> 1.0.0\n" });
});

test.each([
  [["--section", "shell"], { section: "shell" }, "deployment 14 is live, with shell@2.0.0\n"],
  [["--deployment", "9"], { deployment: 9 }, "deployment 14 is live, with the releases of deployment 9\n"],
  [["--all"], {}, "deployment 14 is live, with the releases of the previous deployment\n"],
])("%j works outside the folder of a section", async (args, body, message) => {
  expect(await runSection(emptyFolder, ["rollback", ...args])).toMatchObject({ code: 0, out: message });
  expect(sent()).toMatchObject({ plan: body, rollback: { ...body, base: 13 } });
});

test("--json prints the response", async () => {
  expect(JSON.parse((await runSection(folder, ["rollback", "--json"])).out)).toEqual(ROLLED_BACK);
});

test("outside the folder of a section, --section is required", async () => {
  expect(await runSection(emptyFolder, ["rollback"])).toEqual(
    failure(
      `${emptyFolder} has no section.config.js; run this in the folder of a section, or name one with --section <name>`,
    ),
  );
  expect(admin.requests).toEqual([]);
});

test.each([
  [["--all", "--section", "hello"], "option '--section <name>' cannot be used with option '--all'"],
  [["--all", "--deployment", "9"], "option '--deployment <number>' cannot be used with option '--all'"],
  [
    ["--section", "hello", "--deployment", "9"],
    "option '--section <name>' cannot be used with option '--deployment <number>'",
  ],
])("%j is rejected", async (args, message) => {
  expect(await runSection(folder, ["rollback", ...args])).toEqual(argumentFailure("rollback", message));
  expect(admin.requests).toEqual([]);
});
