// Calls to the admin API, which all remote commands share.
import { beforeAll, describe, expect, test } from "vitest";

import { jsonResponse, startFakeAdmin } from "../../fixtures/admin.js";
import {
  admin,
  builtFolder,
  failure,
  onlyRequest,
  REMOTE_COMMANDS,
  runSection,
  TOKEN,
} from "../../fixtures/command.js";

let folder: string;

beforeAll(async () => {
  folder = await builtFolder();
});

describe("error responses", () => {
  test("a problem document is printed with all of its problems", async () => {
    admin.response = jsonResponse(
      {
        type: "about:blank",
        title: "The release was rejected",
        status: 422,
        detail: "No file was stored.",
        problems: ["pattern `/hello/`: it must not end with a slash", "extension point `a/b@1` is filled twice"],
      },
      422,
    );
    expect(await runSection(folder, ["publish"])).toEqual(
      failure(
        `PUT /api/v1/sections/hello/releases/1.1.0: 422 The release was rejected
No file was stored.
- pattern \`/hello/\`: it must not end with a slash
- extension point \`a/b@1\` is filled twice`,
        "rejected",
      ),
    );
  });

  test.each([
    ["plain text", "Bad Gateway", "Bad Gateway"],
    ["JSON other than an object", "null", "null"],
    ["an empty body", "", undefined],
  ])("%s from a proxy is printed unchanged", async (_, body, printed) => {
    admin.response = { status: 502, body };
    const { code, err } = await runSection(folder, ["deploy"]);
    expect(code).toBe(6);
    expect(err.trimEnd().split("\n")).toEqual([
      "error: POST /api/v1/deployments: 502",
      ...(printed === undefined ? [] : [printed]),
    ]);
  });

  test.each([
    [400, 4],
    [401, 5],
    [403, 5],
    [404, 4],
    [409, 4],
    [422, 4],
    [500, 6],
    [503, 6],
  ])("a response with status %i exits with code %i", async (status, code) => {
    admin.response = jsonResponse({}, status);
    expect((await runSection(folder, ["deploy"])).code).toBe(code);
  });

  test("a response of the site's listener names COLONNADE_ADMIN", async () => {
    admin.response = { status: 404, body: "" };
    expect(await runSection(folder, ["status"])).toEqual(
      failure(
        "GET /api/v1/deployments: 404\n" +
          `${admin.url} did not respond as an admin listener; check that COLONNADE_ADMIN is its URL, not that of the site`,
        "rejected",
      ),
    );
  });

  test("a refused token names COLONNADE_TOKEN", async () => {
    const detail = "the Authorization header has no valid token";
    admin.response = jsonResponse({ title: "Unauthorized", status: 401, detail }, 401);
    expect(await runSection(folder, ["deploy"])).toEqual(
      failure(
        `POST /api/v1/deployments: 401 Unauthorized\n${detail}\n` +
          "The token is that of COLONNADE_TOKEN; ask the gateway's operator for a valid one.",
        "unauthorized",
      ),
    );
  });

  test("redirects are not followed, so the token stays private", async () => {
    admin.response = { status: 307, body: "" };
    expect((await runSection(folder, ["garbage-collect"])).err).toMatch(
      /^error: POST \/api\/v1\/garbage-collection: 307\n/,
    );
    expect(onlyRequest().headers.authorization).toBe(`Bearer ${TOKEN}`);
  });

  test("a successful response without JSON is an error", async () => {
    admin.response = { status: 200, body: "<h1>It works!</h1>" };
    expect(await runSection(folder, ["deploy"])).toEqual(
      failure(
        `${admin.url}/api/v1/deployments did not return JSON; check that COLONNADE_ADMIN is the URL of the gateway's admin listener`,
      ),
    );
  });
});

describe("COLONNADE_ADMIN and COLONNADE_TOKEN", () => {
  test("COLONNADE_ADMIN may end with a slash", async () => {
    admin.response = jsonResponse({}, 201);
    await runSection(folder, ["publish"], { COLONNADE_ADMIN: `${admin.url}/` });
    expect(onlyRequest().line).toBe("PUT /api/v1/sections/hello/releases/1.1.0");
  });

  test.each(["127.0.0.1", "localhost"])("an unreachable gateway at %s is reported with the reason", async (host) => {
    const closed = await startFakeAdmin();
    const url = closed.url.replace("127.0.0.1", host);
    closed.close();
    const { code, err } = await runSection(folder, ["status"], { COLONNADE_ADMIN: url });
    expect(code).toBe(6);
    expect(err).toMatch(
      /^error: cannot reach the gateway at (\S+) \(.*ECONNREFUSED.*\); check that COLONNADE_ADMIN is .*\n$/,
    );
    expect(err).toContain(url);
  });

  test.each(["nowhere", "ftp://127.0.0.1", "http://me:secret@127.0.0.1:9090", "http://127.0.0.1:9090/?a=1"])(
    "COLONNADE_ADMIN=%s is rejected",
    async (url) => {
      expect(await runSection(folder, ["status"], { COLONNADE_ADMIN: url })).toEqual(
        failure(
          "COLONNADE_ADMIN is not the URL of an admin listener; expected http(s)://host:port, such as http://127.0.0.1:9090",
        ),
      );
    },
  );

  test.each(["http://gateway.example:9090", "http://10.0.0.1", "http://127.0.0.1.example"])(
    "COLONNADE_ADMIN=%s gets no token without TLS",
    async (url) => {
      expect(await runSection(folder, ["status"], { COLONNADE_ADMIN: url })).toEqual(
        failure(
          `COLONNADE_ADMIN has http, with which others can read the token on its way to ${new URL(url).host}; expected https, or an address of this machine`,
        ),
      );
    },
  );

  test.each(REMOTE_COMMANDS)("%s without a token reports the missing variable", async (command) => {
    expect(await runSection(folder, [command], { COLONNADE_TOKEN: undefined })).toEqual(
      failure(
        "COLONNADE_TOKEN is not set; expected the admin API token from the gateway operator, or a sign-in with `colonnade login`",
      ),
    );
    expect(admin.requests).toEqual([]);
  });

  test.each([`${TOKEN}\n`, ` ${TOKEN}`, `${TOKEN}é`])("an invalid token is neither sent nor printed", async (token) => {
    expect(await runSection(folder, ["deploy"], { COLONNADE_TOKEN: token })).toEqual(
      failure("COLONNADE_TOKEN contains whitespace or another character that is not allowed in a token"),
    );
    expect(admin.requests).toEqual([]);
  });
});
