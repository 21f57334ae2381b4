import { beforeAll, beforeEach, expect, test } from "vitest";

import { answering } from "../../fixtures/admin.js";
import { admin, jsonOf, onlyRequest, refusal, runSection } from "../../fixtures/command.js";
import { helloSection, temporaryFolder } from "../../fixtures/temporary.js";

const BACK = { number: 14, releases: { hello: "1.0.0", shell: "2.0.0" }, live: true };

let folder: string;
let elsewhere: string;

beforeAll(async () => {
  folder = await helloSection();
  elsewhere = await temporaryFolder();
});
beforeEach(() => {
  admin.answer = answering(BACK, 201);
});

test("returns the section of this folder, which need not be built", async () => {
  expect(await runSection(folder, ["rollback", "--reason", "it stutters"])).toEqual({
    code: 0,
    out: "deployment 14 is live, with hello@1.0.0\n",
    err: "",
  });
  expect(onlyRequest().line).toBe("POST /api/v1/rollback");
  expect(jsonOf(onlyRequest())).toEqual({ section: "hello", reason: "it stutters" });
});

test.each([
  [["--section", "shell"], { section: "shell" }, "deployment 14 is live, with shell@2.0.0\n"],
  [["--deployment", "9"], { deployment: 9 }, "deployment 14 is live, with the set of deployment 9\n"],
  [["--all"], {}, "deployment 14 is live, with the set that was live before\n"],
])("%j needs no section's folder", async (args, wish, words) => {
  expect(await runSection(elsewhere, ["rollback", ...args])).toEqual({ code: 0, out: words, err: "" });
  expect(jsonOf(onlyRequest())).toEqual(wish);
});

test("says that the candidate has the change, too", async () => {
  admin.answer = answering({ ...BACK, candidate: { number: 15, releases: {} } }, 201);
  expect((await runSection(folder, ["rollback"])).out).toBe(
    "deployment 14 is live, with hello@1.0.0; the candidate has the change too and is now deployment 15\n",
  );
});

test("--json prints the gateway's answer", async () => {
  expect(JSON.parse((await runSection(folder, ["rollback", "--json"])).out)).toEqual(BACK);
});

test("outside a section's folder says how to name one", async () => {
  expect(await runSection(elsewhere, ["rollback"])).toEqual(
    refusal(
      `${elsewhere} has no section.config.js: run this in the folder of a section, or name one with --section <name>`,
    ),
  );
  expect(admin.received).toEqual([]);
});

test.each([
  [["--all", "--section", "hello"]],
  [["--all", "--deployment", "9"]],
  [["--section", "hello", "--deployment", "9"]],
])("%j is more than one wish", async (args) => {
  expect(await runSection(folder, ["rollback", ...args])).toEqual(
    refusal("expected one of --section, --deployment and --all"),
  );
  expect(admin.received).toEqual([]);
});
