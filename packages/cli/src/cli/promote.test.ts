// `colonnade promote`, `colonnade abort` and `colonnade rollout`, which all act on one rollout.
import { beforeAll, describe, expect, test } from "vitest";

import { jsonResponse } from "../../fixtures/admin.js";
import { admin, argumentFailure, failure, jsonBody, onlyRequest, runSection } from "../../fixtures/command.js";
import { helloSection, temporaryFolder } from "../../fixtures/temporary.js";

let folder: string;

beforeAll(async () => {
  folder = await helloSection();
});

describe("colonnade promote", () => {
  test("puts the candidate live", async () => {
    admin.response = jsonResponse({ number: 13, live: true });
    expect(await runSection(folder, ["promote", "--reason", "no complaints"])).toEqual({
      code: 0,
      out: "deployment 13 is live\n",
      err: "",
    });
    expect(onlyRequest().line).toBe("POST /api/v1/rollouts/hello/promote");
    expect(jsonBody(onlyRequest())).toEqual({ reason: "no complaints" });
  });

  test("--percent changes only the share", async () => {
    admin.response = jsonResponse({ number: 13, live: false, percent: 50 });
    const { out } = await runSection(folder, ["promote", "--percent", "50"]);
    expect(out).toBe("deployment 13 is the candidate, for 50% of visitors\n");
    expect(jsonBody(onlyRequest())).toEqual({ percent: 50 });
  });

  test("--percent 100 is rejected in favor of a plain promote", async () => {
    expect(await runSection(folder, ["promote", "--percent", "100"])).toEqual(
      argumentFailure(
        "promote",
        "option '--percent <percent>' argument '100' is invalid. Expected a whole percentage, 0 to 99; for 100, use `colonnade promote` without --percent.",
      ),
    );
    expect(admin.requests).toEqual([]);
  });

  test("--json prints the response", async () => {
    admin.response = jsonResponse({ number: 13, live: true });
    expect(JSON.parse((await runSection(folder, ["promote", "--json"])).out)).toEqual({ number: 13, live: true });
  });
});

describe("colonnade abort", () => {
  test("aborts the rollout", async () => {
    admin.response = jsonResponse({ number: 13, live: 12 });
    expect(await runSection(folder, ["abort", "--reason", "broken layout"])).toEqual({
      code: 0,
      out: "rollout of deployment 13 aborted; deployment 12 stays live\n",
      err: "",
    });
    expect(onlyRequest().line).toBe("POST /api/v1/rollouts/hello/abort");
    expect(jsonBody(onlyRequest())).toEqual({ reason: "broken layout" });
  });

  test("--json prints the response", async () => {
    admin.response = jsonResponse({ number: 13, live: 12 });
    expect(JSON.parse((await runSection(folder, ["abort", "--json"])).out)).toEqual({ number: 13, live: 12 });
  });
});

describe("colonnade rollout", () => {
  test.each([
    ["pause", true, "paused"],
    ["resume", false, "running"],
  ])("%ss the rollout", async (action, paused, state) => {
    admin.response = jsonResponse({ number: 13, percent: 25, paused });
    expect(await runSection(folder, ["rollout", action, "--reason", "holiday"])).toEqual({
      code: 0,
      out: `deployment 13 is the candidate, for 25% of visitors; the rollout is ${state}\n`,
      err: "",
    });
    expect(onlyRequest().line).toBe(`POST /api/v1/rollouts/hello/${action}`);
    expect(jsonBody(onlyRequest())).toEqual({ reason: "holiday" });
  });

  test("selects a rollout by its candidate", async () => {
    admin.response = jsonResponse({ number: 13, percent: 25, paused: true });
    await runSection(folder, ["rollout", "pause", "--deployment", "13"]);
    expect(onlyRequest().line).toBe("POST /api/v1/deployments/13/pause");
  });

  test("knows no other action", async () => {
    expect((await runSection(folder, ["rollout", "stop"])).code).toBe(2);
    expect(admin.requests).toEqual([]);
  });
});

describe.each(["promote", "abort"])("colonnade %s", (command) => {
  test.each([
    [["--section", "shell"], `POST /api/v1/rollouts/shell/${command}`],
    [["--deployment", "13"], `POST /api/v1/deployments/13/${command}`],
  ])("%j works outside the folder of a section", async (args, line) => {
    admin.response = jsonResponse({ number: 13, live: 13 });
    expect((await runSection(await temporaryFolder(), [command, ...args])).code).toBe(0);
    expect(onlyRequest().line).toBe(line);
  });

  test("needs a section or a candidate", async () => {
    const empty = await temporaryFolder();
    expect(await runSection(empty, [command])).toEqual(
      failure(
        `${empty} has no section.config.js; run this in the folder of a section, or name one with --section <name>`,
      ),
    );
    expect(await runSection(folder, [command, "--section", "hello", "--deployment", "13"])).toEqual(
      argumentFailure(command, "option '--section <name>' cannot be used with option '--deployment <number>'"),
    );
    expect(admin.requests).toEqual([]);
  });

  test("reports that there is no rollout", async () => {
    const detail = "`hello` is not being rolled out: no rollout is running";
    admin.response = jsonResponse({ title: "Conflict", status: 409, detail }, 409);
    const { code, err } = await runSection(folder, [command]);
    expect(code).toBe(4);
    expect(err).toContain(detail);
  });
});
