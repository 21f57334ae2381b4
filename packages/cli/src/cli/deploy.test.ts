import path from "node:path";

import { beforeAll, beforeEach, describe, expect, test } from "vitest";

import { jsonResponse } from "../../fixtures/admin.js";
import {
  admin,
  argumentFailure,
  builtFolder,
  failure,
  jsonBody,
  onlyRequest,
  runSection,
  TOKEN,
} from "../../fixtures/command.js";
import { temporaryFolder } from "../../fixtures/temporary.js";

const ROLLOUT_EXPECTED = "Expected a whole percentage, 0 to 99. Name releases before --rollout.";
const LIVE = { number: 7, releases: { hello: "1.0.0" }, live: true, rollouts: [] };
const CANDIDATE = { number: 8, releases: { hello: "1.1.0" }, live: false, percent: 10, rollouts: [] };

let folder: string;

beforeAll(async () => {
  folder = await builtFolder();
});
beforeEach(() => {
  admin.response = jsonResponse(LIVE, 201);
});

test("without an argument, the release in this folder goes live", async () => {
  expect(await runSection(folder, ["deploy"])).toEqual({ code: 0, out: "deployment 7 is live\n", err: "" });
  const { line, headers, body } = onlyRequest();
  expect(line).toBe("POST /api/v1/deployments");
  expect(headers.authorization).toBe(`Bearer ${TOKEN}`);
  expect(headers["content-type"]).toBe("application/json");
  expect(JSON.parse(body.toString())).toEqual({ releases: { hello: "1.1.0" } });
});

test("releases and options are sent in one request", async () => {
  const named = ["hello@1.4.0", "shell@2.0.0-dev.1a"];
  const options = ["--base", "6", "--accept-status-changes", "--reason", "a better greeting"];
  await runSection(folder, ["deploy", ...named, ...options]);
  expect(jsonBody(onlyRequest())).toEqual({
    releases: { hello: "1.4.0", shell: "2.0.0-dev.1a" },
    base: 6,
    acceptStatusChanges: true,
    reason: "a better greeting",
  });
});

test("--remove removes only the named sections", async () => {
  await runSection(folder, ["deploy", "--remove", "hello", "--remove", "greetings"]);
  expect(jsonBody(onlyRequest())).toEqual({ releases: { hello: null, greetings: null } });
});

test("releases that are already live, and warnings, are reported", async () => {
  admin.response = jsonResponse({ ...LIVE, warnings: ["page `/a.html` of hello is hidden"] });
  expect(await runSection(folder, ["deploy"])).toEqual({
    code: 0,
    out: "deployment 7 already has these releases\n",
    err: "warning: page `/a.html` of hello is hidden\n",
  });
});

test("a deploy prints how many requested paths change", async () => {
  admin.response = jsonResponse({ ...LIVE, requestedPaths: { rendered: 12, changed: 3 } }, 201);
  const { out } = await runSection(folder, ["deploy"]);
  expect(out).toContain("\nrequested paths: 12 rendered, 3 with other HTML\n");
});

test("--json prints the deployment as JSON", async () => {
  const { out } = await runSection(folder, ["deploy", "--json"]);
  expect(JSON.parse(out)).toEqual({ ...LIVE, isNew: true });
});

describe("the URL of a page is printed", () => {
  const url = "https://site.example";
  const paths = { directory: "/", hello: "/hello", greetings: "/greetings" };

  test.each([
    [[], `${url}/hello`],
    [["hello@1.0.0"], `${url}/hello`],
    [["shell@2.0.0", "greetings@1.0.0"], `${url}/greetings`],
    [["--remove", "hello"], `${url}/`],
    [["legal@1.0.0"], `${url}/`],
  ])("%j", async (args, page) => {
    admin.response = jsonResponse({ ...LIVE, url, paths }, 201);
    expect((await runSection(folder, ["deploy", ...args])).out).toBe(`deployment 7 is live\n${page}\n`);
    const { out } = await runSection(folder, ["deploy", ...args, "--json"]);
    expect(JSON.parse(out)).toEqual({ ...LIVE, url, paths, isNew: true, page });
  });

  test("but not of a candidate", async () => {
    admin.response = jsonResponse({ ...CANDIDATE, url, paths }, 201);
    expect((await runSection(folder, ["deploy", "--rollout", "10"])).out).not.toContain(url);
  });

  test("an older gateway sends no paths", async () => {
    admin.response = jsonResponse({ ...LIVE, url }, 201);
    expect((await runSection(folder, ["deploy"])).out).toContain(`\n${url}/\n`);
  });
});

describe("--rollout", () => {
  test("creates a candidate and prints the next commands", async () => {
    admin.response = jsonResponse(CANDIDATE, 201);
    expect((await runSection(folder, ["deploy", "--rollout", "10"])).out).toBe(
      `deployment 8 is the candidate, for 10% of visitors
\`colonnade promote\` puts it live for all visitors, \`colonnade abort\` aborts the rollout
`,
    );
    expect(jsonBody(onlyRequest())).toEqual({ releases: { hello: "1.1.0" }, percent: 10 });
  });

  test.each([
    [["--rollout"], "default"],
    [["--rollout", "--steps", "5% for 10m, 100%"], "5% for 10m, 100%"],
    [["--steps", "5% for 10m, 100%"], "5% for 10m, 100%"],
  ])("%j starts a rollout in steps", async (args, steps) => {
    const progress = { steps: "5% for 10m, 100%", step: 1, paused: false };
    const rollouts = [{ deployment: 8, percent: 5, sections: { hello: {} }, progress }];
    admin.response = jsonResponse({ ...CANDIDATE, percent: 5, rollouts }, 201);
    const { out } = await runSection(folder, ["deploy", ...args]);
    expect(out).toContain("deployment 8 is the candidate, for 5% of visitors; steps: 5% for 10m, 100%\n");
    expect(jsonBody(onlyRequest())).toEqual({ releases: { hello: "1.1.0" }, steps });
  });

  test("accepts a percentage or steps, not both", async () => {
    expect(await runSection(folder, ["deploy", "--rollout", "5", "--steps", "5% for 10m, 100%"])).toEqual(
      failure("--rollout has a percentage; expected either it or --steps"),
    );
    expect(admin.requests).toEqual([]);
  });

  test("accepts 0 percent", async () => {
    admin.response = jsonResponse({ ...CANDIDATE, percent: 0 }, 201);
    const { out } = await runSection(folder, ["deploy", "--rollout", "0"]);
    expect(out).toContain("deployment 8 is the candidate, for 0% of visitors\n");
    expect(jsonBody(onlyRequest())).toEqual({ releases: { hello: "1.1.0" }, percent: 0 });
  });
});

describe("rejects", () => {
  test.each([
    [["hello"], 'invalid release "hello"; expected name@version, such as directory@1.4.0'],
    [["hello@"], 'invalid release "hello@"; expected name@version, such as directory@1.4.0'],
    [["@1.0.0"], 'invalid release "@1.0.0"; expected name@version, such as directory@1.4.0'],
    [["hello@1.0.0", "hello@1.1.0"], "hello is named twice; expected one release per section"],
    [["hello@1.0.0", "--remove", "hello"], "hello is named twice; expected one release per section"],
  ])("%j", async (args, message) => {
    expect(await runSection(folder, ["deploy", ...args])).toEqual(failure(message));
    expect(admin.requests).toEqual([]);
  });

  test.each([
    ["--rollout [percent]", "100", ROLLOUT_EXPECTED],
    ["--rollout [percent]", "12.5", ROLLOUT_EXPECTED],
    ["--rollout [percent]", "hello@1.0.0", ROLLOUT_EXPECTED],
    ["--rollout [percent]", "1e1", ROLLOUT_EXPECTED],
    ["--rollout [percent]", "-1", ROLLOUT_EXPECTED],
    ["--base <number>", "0", "Expected a deployment number, 1 or more."],
    ["--base <number>", "live", "Expected a deployment number, 1 or more."],
  ])("%s with %j", async (flags, value, expected) => {
    const [name = ""] = flags.split(" ");
    expect(await runSection(folder, ["deploy", `${name}=${value}`])).toEqual(
      argumentFailure("deploy", `option '${flags}' argument '${value}' is invalid. ${expected}`),
    );
    expect(admin.requests).toEqual([]);
  });

  test("a folder without a release", async () => {
    const empty = await temporaryFolder();
    expect(await runSection(empty, ["deploy"])).toEqual(
      failure(`${path.join(empty, "release")} contains no release; run \`colonnade build\` first`),
    );
  });
});
