import { beforeAll, beforeEach, expect, test } from "vitest";

import { jsonResponse } from "../../fixtures/admin.js";
import {
  admin,
  argumentFailure,
  builtFolder,
  failure,
  jsonBody,
  onlyRequest,
  runSection,
} from "../../fixtures/command.js";

const PREVIEW = {
  deployment: 14,
  url: "https://site.example/_preview/1.eyJ9.c2ln",
  expiresAt: "2026-01-31T11:02:03Z",
};

let folder: string;

beforeAll(async () => {
  folder = await builtFolder();
});
beforeEach(() => {
  admin.response = jsonResponse(PREVIEW, 201);
});

test("the link shows this folder's release by default", async () => {
  expect(await runSection(folder, ["preview"])).toEqual({
    code: 0,
    out: `https://site.example/_preview/1.eyJ9.c2ln
shows deployment 14 to anyone with this link until 2026-01-31 11:02 UTC
asks before it runs the deployment's code on the site's origin
`,
    err: "",
  });
  expect(onlyRequest().line).toBe("POST /api/v1/previews");
  expect(jsonBody(onlyRequest())).toEqual({ releases: { hello: "1.1.0" } });
});

test.each([
  [["hello@1.4.0", "--remove", "greetings"], { releases: { hello: "1.4.0", greetings: null } }],
  [["--deployment", "13"], { deployment: 13 }],
  [
    ["--path", "/hello?x=1", "--minutes", "10080"],
    { releases: { hello: "1.1.0" }, path: "/hello?x=1", minutes: 10080 },
  ],
])("%j selects the deployment, path and lifetime", async (args, body) => {
  expect((await runSection(folder, ["preview", ...args])).code).toBe(0);
  expect(jsonBody(onlyRequest())).toEqual(body);
});

test("--json prints the response", async () => {
  expect(JSON.parse((await runSection(folder, ["preview", "--json"])).out)).toEqual(PREVIEW);
});

test("releases and --deployment exclude each other", async () => {
  expect(await runSection(folder, ["preview", "--deployment", "13", "hello@1.4.0"])).toEqual(
    failure("expected either releases or --deployment, not both"),
  );
  expect(admin.requests).toEqual([]);
});

test.each([
  [
    ["--deployment", "13", "--remove", "hello"],
    "option '--deployment <number>' cannot be used with option '--remove <name>'",
  ],
  [
    ["--path", "hello"],
    "option '--path <path>' argument 'hello' is invalid. Expected a path on the site, such as /hello.",
  ],
  [
    ["--path", "//elsewhere.example"],
    "option '--path <path>' argument '//elsewhere.example' is invalid. Expected a path on the site, such as /hello.",
  ],
  [
    ["--minutes", "10081"],
    "option '--minutes <number>' argument '10081' is invalid. Expected a number of minutes, 1 to 10080.",
  ],
])("%j is rejected", async (args, message) => {
  expect(await runSection(folder, ["preview", ...args])).toEqual(argumentFailure("preview", message));
  expect(admin.requests).toEqual([]);
});
