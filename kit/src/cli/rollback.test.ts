import { beforeAll, beforeEach, expect, test } from "vitest";

import { jsonResponse } from "../../fixtures/admin.js";
import { admin, argumentFailure, failure, jsonBody, onlyRequest, runSection } from "../../fixtures/command.js";
import { helloSection, temporaryFolder } from "../../fixtures/temporary.js";

const ROLLED_BACK = { number: 14, releases: { hello: "1.0.0", shell: "2.0.0" }, live: true, rollouts: [] };

let folder: string;
let emptyFolder: string;

beforeAll(async () => {
  folder = await helloSection();
  emptyFolder = await temporaryFolder();
});
beforeEach(() => {
  admin.response = jsonResponse(ROLLED_BACK, 201);
});

test("the section in this folder is rolled back without a build", async () => {
  expect(await runSection(folder, ["rollback", "--reason", "broken layout"])).toEqual({
    code: 0,
    out: "deployment 14 is live, with hello@1.0.0\n",
    err: "",
  });
  expect(onlyRequest().line).toBe("POST /api/v1/rollback");
  expect(jsonBody(onlyRequest())).toEqual({ section: "hello", reason: "broken layout" });
});

test.each([
  [["--section", "shell"], { section: "shell" }, "deployment 14 is live, with shell@2.0.0\n"],
  [["--deployment", "9"], { deployment: 9 }, "deployment 14 is live, with the releases of deployment 9\n"],
  [["--all"], {}, "deployment 14 is live, with the releases of the previous deployment\n"],
])("%j works outside the folder of a section", async (args, body, message) => {
  expect(await runSection(emptyFolder, ["rollback", ...args])).toEqual({ code: 0, out: message, err: "" });
  expect(jsonBody(onlyRequest())).toEqual(body);
});

test("a candidate with the same change is reported", async () => {
  const rollouts = [{ deployment: 15, percent: 10, sections: { legal: {} } }];
  admin.response = jsonResponse({ ...ROLLED_BACK, rollouts }, 201);
  expect((await runSection(folder, ["rollback"])).out).toBe(`deployment 14 is live, with hello@1.0.0
the candidate of legal has the change too, and is now deployment 15
`);
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
