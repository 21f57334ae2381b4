import { beforeAll, beforeEach, expect, test } from "vitest";

import { answering } from "../../fixtures/admin.js";
import { admin, jsonOf, onlyRequest, refusal, releasedFolder, runSection } from "../../fixtures/command.js";

const PREVIEW = {
  deployment: 14,
  url: "https://site.example/_preview/1.eyJ9.c2ln",
  expiresAt: "2026-01-31T11:02:03Z",
};

let folder: string;

beforeAll(async () => {
  folder = await releasedFolder();
});
beforeEach(() => {
  admin.answer = answering(PREVIEW, 201);
});

test("without a name shows this folder's release", async () => {
  expect(await runSection(folder, ["preview"])).toEqual({
    code: 0,
    out: `https://site.example/_preview/1.eyJ9.c2ln
shows deployment 14 until 2026-01-31 11:02 UTC, to whoever has this link
`,
    err: "",
  });
  expect(onlyRequest().line).toBe("POST /api/v1/previews");
  expect(jsonOf(onlyRequest())).toEqual({ releases: { hello: "1.1.0" } });
});

test.each([
  [["hello@1.4.0", "--remove", "greetings"], { releases: { hello: "1.4.0", greetings: null } }],
  [["--deployment", "13"], { deployment: 13 }],
  [
    ["--path", "/hello?x=1", "--minutes", "10080"],
    { releases: { hello: "1.1.0" }, path: "/hello?x=1", minutes: 10080 },
  ],
])("%j says what is shown, where and for how long", async (args, wish) => {
  expect((await runSection(folder, ["preview", ...args])).code).toBe(0);
  expect(jsonOf(onlyRequest())).toEqual(wish);
});

test("--json prints the gateway's answer", async () => {
  expect(JSON.parse((await runSection(folder, ["preview", "--json"])).out)).toEqual(PREVIEW);
});

test.each([
  [["--deployment", "13", "hello@1.4.0"], "expected either releases or --deployment"],
  [["--deployment", "13", "--remove", "hello"], "expected either releases or --deployment"],
  [["--path", "hello"], '--path is "hello"; expected a path of the site, such as /hello'],
  [["--path", "//elsewhere.example"], '--path is "//elsewhere.example"; expected a path of the site, such as /hello'],
  [["--minutes", "10081"], '--minutes is "10081"; expected a number of minutes, 1 to 10080'],
])("%j is refused", async (args, words) => {
  expect(await runSection(folder, ["preview", ...args])).toEqual(refusal(words));
  expect(admin.received).toEqual([]);
});
