// `section promote` and `section abort`, which both act on the rollout in progress.
import { beforeAll, beforeEach, describe, expect, test } from "vitest";

import { jsonResponse } from "../../fixtures/admin.js";
import { admin, argumentFailure, failure, jsonBody, runSection } from "../../fixtures/command.js";
import { temporaryFolder } from "../../fixtures/temporary.js";

const ROLLOUT = { deployment: 13, percent: 10, startedAt: "2026-01-31T10:02:03Z" };
const NO_ROLLOUT = "no rollout is in progress; start one with `section deploy --rollout <percent>`";

let folder: string;

beforeAll(async () => {
  folder = await temporaryFolder();
});
beforeEach(() => {
  admin.responses = { "GET /api/v1/deployments": jsonResponse({ live: 12, rollout: ROLLOUT, deployments: [] }) };
});

function lines(): string[] {
  return admin.requests.map(({ line }) => line);
}

describe("section promote", () => {
  test("puts the candidate live", async () => {
    admin.response = jsonResponse({ number: 13, live: true });
    expect(await runSection(folder, ["promote", "--reason", "no complaints"])).toEqual({
      code: 0,
      out: "deployment 13 is live\n",
      err: "",
    });
    expect(lines()).toEqual(["GET /api/v1/deployments", "POST /api/v1/deployments/13/promote"]);
    expect(jsonBody(admin.requests[1])).toEqual({ reason: "no complaints" });
  });

  test("--percent changes only the share", async () => {
    admin.response = jsonResponse({ number: 13, live: false, percent: 50 });
    const { out } = await runSection(folder, ["promote", "--percent", "50"]);
    expect(out).toBe("deployment 13 is the candidate, for 50% of visitors\n");
    expect(jsonBody(admin.requests[1])).toEqual({ percent: 50 });
  });

  test("--percent 100 is rejected in favor of a plain promote", async () => {
    expect(await runSection(folder, ["promote", "--percent", "100"])).toEqual(
      argumentFailure(
        "promote",
        "option '--percent <percent>' argument '100' is invalid. Expected a whole percentage, 0 to 99.",
      ),
    );
    expect(admin.requests).toEqual([]);
  });

  test("--json prints the response", async () => {
    admin.response = jsonResponse({ number: 13, live: true });
    expect(JSON.parse((await runSection(folder, ["promote", "--json"])).out)).toEqual({ number: 13, live: true });
  });
});

describe("section abort", () => {
  test("aborts the rollout", async () => {
    admin.response = jsonResponse({ number: 13, live: 12 });
    expect(await runSection(folder, ["abort", "--reason", "broken layout"])).toEqual({
      code: 0,
      out: "rollout of deployment 13 aborted; deployment 12 stays live\n",
      err: "",
    });
    expect(lines()).toEqual(["GET /api/v1/deployments", "POST /api/v1/deployments/13/abort"]);
    expect(jsonBody(admin.requests[1])).toEqual({ reason: "broken layout" });
  });

  test("--json prints the response", async () => {
    admin.response = jsonResponse({ number: 13, live: 12 });
    expect(JSON.parse((await runSection(folder, ["abort", "--json"])).out)).toEqual({ number: 13, live: 12 });
  });
});

test.each(["promote", "abort"])("section %s without a rollout fails and changes nothing", async (command) => {
  admin.responses = { "GET /api/v1/deployments": jsonResponse({ live: 12, rollout: null, deployments: [] }) };
  expect(await runSection(folder, [command])).toEqual(failure(NO_ROLLOUT, "rejected"));
  expect(lines()).toEqual(["GET /api/v1/deployments"]);
});
