import { beforeAll, expect, test } from "vitest";

import { answering } from "../../fixtures/admin.js";
import { admin, jsonOf, onlyRequest, runSection } from "../../fixtures/command.js";
import { temporaryFolder } from "../../fixtures/temporary.js";

let folder: string;

beforeAll(async () => {
  folder = await temporaryFolder();
});

test("says what was removed", async () => {
  const collected = { deployments: [1, 2, 3], releases: ["hello@1.0.0", "shell@1.9.0"], dryRun: false };
  admin.answer = answering(collected);
  expect(await runSection(folder, ["collect"])).toEqual({
    code: 0,
    out: "removed:\ndeployments 1, 2 and 3\nrelease hello@1.0.0\nrelease shell@1.9.0\n",
    err: "",
  });
  expect(onlyRequest().line).toBe("POST /api/v1/collect");
  expect(jsonOf(onlyRequest())).toEqual({ dryRun: false });
});

test("--dry-run only says what would be", async () => {
  admin.answer = answering({ deployments: [1], releases: [], dryRun: true });
  expect((await runSection(folder, ["collect", "--dry-run"])).out).toBe("would be removed:\ndeployment 1\n");
  expect(jsonOf(onlyRequest())).toEqual({ dryRun: true });
});

test("says that there is nothing to remove", async () => {
  admin.answer = answering({ deployments: [], releases: [], dryRun: false });
  expect((await runSection(folder, ["collect"])).out).toBe("there is nothing to remove\n");
});

test("--json prints the gateway's answer", async () => {
  const collected = { deployments: [1], releases: ["hello@1.0.0"], dryRun: true };
  admin.answer = answering(collected);
  expect(JSON.parse((await runSection(folder, ["collect", "--dry-run", "--json"])).out)).toEqual(collected);
});
