import { beforeAll, expect, test } from "vitest";

import { jsonResponse } from "../../fixtures/admin.js";
import { admin, jsonBody, onlyRequest, runSection } from "../../fixtures/command.js";
import { temporaryFolder } from "../../fixtures/temporary.js";

let folder: string;

beforeAll(async () => {
  folder = await temporaryFolder();
});

test("the removed deployments and releases are listed", async () => {
  const collected = { deployments: [1, 2, 3], releases: ["hello@1.0.0", "shell@1.9.0"], dryRun: false };
  admin.response = jsonResponse(collected);
  expect(await runSection(folder, ["garbage-collect"])).toEqual({
    code: 0,
    out: "removed:\ndeployment 1\ndeployment 2\ndeployment 3\nrelease hello@1.0.0\nrelease shell@1.9.0\n",
    err: "",
  });
  expect(onlyRequest().line).toBe("POST /api/v1/garbage-collection");
  expect(jsonBody(onlyRequest())).toEqual({ dryRun: false });
});

test("--dry-run lists what would be removed", async () => {
  admin.response = jsonResponse({ deployments: [1], releases: [], dryRun: true });
  expect((await runSection(folder, ["garbage-collect", "--dry-run"])).out).toBe("would remove:\ndeployment 1\n");
  expect(jsonBody(onlyRequest())).toEqual({ dryRun: true });
});

test("an empty result is reported", async () => {
  admin.response = jsonResponse({ deployments: [], releases: [], dryRun: false });
  expect((await runSection(folder, ["garbage-collect"])).out).toBe("nothing to remove\n");
});

test("--json prints the response", async () => {
  const collected = { deployments: [1], releases: ["hello@1.0.0"], dryRun: true };
  admin.response = jsonResponse(collected);
  expect(JSON.parse((await runSection(folder, ["garbage-collect", "--dry-run", "--json"])).out)).toEqual(collected);
});
