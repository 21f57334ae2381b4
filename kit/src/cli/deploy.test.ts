import path from "node:path";

import { beforeAll, beforeEach, describe, expect, test } from "vitest";

import { answering } from "../../fixtures/admin.js";
import { admin, jsonOf, onlyRequest, refusal, releasedFolder, runSection, TOKEN } from "../../fixtures/command.js";
import { temporaryFolder } from "../../fixtures/temporary.js";

const LIVE = { number: 7, releases: { hello: "1.0.0" }, live: true };
const CANDIDATE = { number: 8, releases: { hello: "1.1.0" }, live: false, percent: 10 };

let folder: string;

beforeAll(async () => {
  folder = await releasedFolder();
});
beforeEach(() => {
  admin.answer = answering(LIVE, 201);
});

test("without a name puts this folder's release live", async () => {
  expect(await runSection(folder, ["deploy"])).toEqual({ code: 0, out: "deployment 7 is live\n", err: "" });
  const { line, headers, body } = onlyRequest();
  expect(line).toBe("POST /api/v1/deployments");
  expect(headers.authorization).toBe(`Bearer ${TOKEN}`);
  expect(headers["content-type"]).toBe("application/json");
  expect(JSON.parse(body.toString())).toEqual({ releases: { hello: "1.1.0" } });
});

test("sends the named releases, the base and the reason together", async () => {
  const named = ["hello@1.4.0", "shell@2.0.0-dev.1a"];
  await runSection(folder, ["deploy", ...named, "--base", "6", "--reason", "a better greeting"]);
  expect(jsonOf(onlyRequest())).toEqual({
    releases: { hello: "1.4.0", shell: "2.0.0-dev.1a" },
    base: 6,
    reason: "a better greeting",
  });
});

test("--remove takes sections out, and nothing else goes with it unless it is named", async () => {
  await runSection(folder, ["deploy", "--remove", "hello", "--remove", "greetings"]);
  expect(jsonOf(onlyRequest())).toEqual({ releases: { hello: null, greetings: null } });
});

test("says that nothing changed", async () => {
  admin.answer = answering(LIVE);
  expect((await runSection(folder, ["deploy"])).out).toBe("deployment 7 has these releases already\n");
});

test("--json prints the deployment as data", async () => {
  const { out } = await runSection(folder, ["deploy", "--json"]);
  expect(JSON.parse(out)).toEqual({ ...LIVE, isNew: true });
});

describe("--rollout", () => {
  test("makes a candidate, and says how it goes on", async () => {
    admin.answer = answering(CANDIDATE, 201);
    expect((await runSection(folder, ["deploy", "--rollout", "10"])).out).toBe(
      `deployment 8 is the candidate, for 10% of visitors
\`section promote\` puts it live for everyone, \`section abort\` takes it back
`,
    );
    expect(jsonOf(onlyRequest())).toEqual({ releases: { hello: "1.1.0" }, percent: 10 });
  });

  test("of nobody is a rollout, too", async () => {
    admin.answer = answering({ ...CANDIDATE, percent: 0 }, 201);
    const { out } = await runSection(folder, ["deploy", "--rollout", "0"]);
    expect(out).toContain("deployment 8 is the candidate, for 0% of visitors\n");
    expect(jsonOf(onlyRequest())).toEqual({ releases: { hello: "1.1.0" }, percent: 0 });
  });

  test("of other sections has the change, too, and says so", async () => {
    admin.answer = answering({ ...LIVE, candidate: { number: 9, releases: {} } }, 201);
    expect((await runSection(folder, ["deploy"])).out).toBe(
      "deployment 7 is live; the candidate has the change too and is now deployment 9\n",
    );
  });
});

describe("refuses", () => {
  test.each([
    [["hello"], '"hello" names no release; expected name@version, such as directory@1.4.0'],
    [["hello@"], '"hello@" names no release; expected name@version, such as directory@1.4.0'],
    [["@1.0.0"], '"@1.0.0" names no release; expected name@version, such as directory@1.4.0'],
    [["hello@1.0.0", "hello@1.1.0"], "hello is named twice; expected one release of each section"],
    [["hello@1.0.0", "--remove", "hello"], "hello is named twice; expected one release of each section"],
    [["--rollout", "100"], '--rollout is "100"; expected a whole percentage, 0 to 99'],
    [["--rollout", "12.5"], '--rollout is "12.5"; expected a whole percentage, 0 to 99'],
    [["--rollout", "1e1"], '--rollout is "1e1"; expected a whole percentage, 0 to 99'],
    [["--rollout=-1"], '--rollout is "-1"; expected a whole percentage, 0 to 99'],
    [["--base", "0"], '--base is "0"; expected a deployment\'s number, 1 or more'],
    [["--base", "live"], '--base is "live"; expected a deployment\'s number, 1 or more'],
  ])("%j", async (args, words) => {
    expect(await runSection(folder, ["deploy", ...args])).toEqual(refusal(words));
    expect(admin.received).toEqual([]);
  });

  test("a folder without a release", async () => {
    const empty = await temporaryFolder();
    expect(await runSection(empty, ["deploy"])).toEqual(
      refusal(`${path.join(empty, "release")} holds no release; run \`section build\` first`),
    );
  });
});
