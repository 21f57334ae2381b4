// Promoting and aborting: both end, or steer, the one rollout there is.
import { beforeAll, beforeEach, describe, expect, test } from "vitest";

import { answering } from "../../fixtures/admin.js";
import { admin, jsonOf, refusal, runSection } from "../../fixtures/command.js";
import { temporaryFolder } from "../../fixtures/temporary.js";

const ROLLOUT = { deployment: 13, percent: 10, startedAt: "2026-01-31T10:02:03Z" };
const NO_ROLLOUT = "no rollout runs; expected a candidate, which `section deploy --rollout <percent>` makes";

let folder: string;

beforeAll(async () => {
  folder = await temporaryFolder();
});
beforeEach(() => {
  admin.answers = { "GET /api/v1/deployments": answering({ live: 12, rollout: ROLLOUT, deployments: [] }) };
});

function lines(): string[] {
  return admin.received.map(({ line }) => line);
}

describe("section promote", () => {
  test("puts the candidate live for everyone", async () => {
    admin.answer = answering({ number: 13, live: true });
    expect(await runSection(folder, ["promote", "--reason", "no complaints"])).toEqual({
      code: 0,
      out: "deployment 13 is live\n",
      err: "",
    });
    expect(lines()).toEqual(["GET /api/v1/deployments", "POST /api/v1/deployments/13/promote"]);
    expect(jsonOf(admin.received[1])).toEqual({ reason: "no complaints" });
  });

  test("--percent changes the share alone", async () => {
    admin.answer = answering({ number: 13, live: false, percent: 50 });
    const { out } = await runSection(folder, ["promote", "--percent", "50"]);
    expect(out).toBe("deployment 13 is the candidate, for 50% of visitors\n");
    expect(jsonOf(admin.received[1])).toEqual({ percent: 50 });
  });

  test("--percent 100 is refused: for everyone is promoting without it", async () => {
    expect(await runSection(folder, ["promote", "--percent", "100"])).toEqual(
      refusal('--percent is "100"; expected a whole percentage, 0 to 99'),
    );
    expect(admin.received).toEqual([]);
  });

  test("--json prints the gateway's answer", async () => {
    admin.answer = answering({ number: 13, live: true });
    expect(JSON.parse((await runSection(folder, ["promote", "--json"])).out)).toEqual({ number: 13, live: true });
  });
});

describe("section abort", () => {
  test("takes the candidate back", async () => {
    admin.answer = answering({ number: 13, live: 12 });
    expect(await runSection(folder, ["abort", "--reason", "it stutters"])).toEqual({
      code: 0,
      out: "deployment 13 is taken back; deployment 12 stays live\n",
      err: "",
    });
    expect(lines()).toEqual(["GET /api/v1/deployments", "POST /api/v1/deployments/13/abort"]);
    expect(jsonOf(admin.received[1])).toEqual({ reason: "it stutters" });
  });

  test("--json prints the gateway's answer", async () => {
    admin.answer = answering({ number: 13, live: 12 });
    expect(JSON.parse((await runSection(folder, ["abort", "--json"])).out)).toEqual({ number: 13, live: 12 });
  });
});

test.each(["promote", "abort"])("section %s without a rollout says so and changes nothing", async (command) => {
  admin.answers = { "GET /api/v1/deployments": answering({ live: 12, rollout: null, deployments: [] }) };
  expect(await runSection(folder, [command])).toEqual(refusal(NO_ROLLOUT));
  expect(lines()).toEqual(["GET /api/v1/deployments"]);
});
