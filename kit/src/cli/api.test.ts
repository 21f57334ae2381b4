// The way to the gateway and back, whichever command takes it.
import { beforeAll, describe, expect, test } from "vitest";

import { answering, startAdmin } from "../../fixtures/admin.js";
import { admin, onlyRequest, refusal, releasedFolder, runSection, TOKEN } from "../../fixtures/command.js";

let folder: string;

beforeAll(async () => {
  folder = await releasedFolder();
});

describe("an answer that is no success", () => {
  test("a problem document is printed with all of its problems", async () => {
    admin.answer = answering(
      {
        type: "about:blank",
        title: "The release is refused",
        status: 422,
        detail: "Nothing of it was kept.",
        problems: ["pattern `/hello/`: it must not end with a slash", "slot `join` is filled twice"],
      },
      422,
    );
    expect(await runSection(folder, ["publish"])).toEqual(
      refusal(`PUT /api/v1/sections/hello/releases/1.1.0: 422 The release is refused
Nothing of it was kept.
- pattern \`/hello/\`: it must not end with a slash
- slot \`join\` is filled twice`),
    );
  });

  test.each([
    ["plain text", "Bad Gateway", "Bad Gateway"],
    ["JSON that is no object", "null", "null"],
    ["nothing", "", undefined],
  ])("%s of something in between is printed as it is", async (_, body, printed) => {
    admin.answer = { status: 502, body };
    const { code, err } = await runSection(folder, ["deploy"]);
    expect(code).toBe(1);
    expect(err.trimEnd().split("\n")).toEqual([
      "POST /api/v1/deployments: 502",
      ...(printed === undefined ? [] : [printed]),
    ]);
  });

  test("a redirect is not followed: the token is for this address alone", async () => {
    admin.answer = { status: 307, body: "" };
    expect(await runSection(folder, ["collect"])).toEqual(refusal("POST /api/v1/collect: 307"));
    expect(onlyRequest().headers.authorization).toBe(`Bearer ${TOKEN}`);
  });

  test("a success that is no JSON is not the gateway's", async () => {
    admin.answer = { status: 200, body: "<h1>It works!</h1>" };
    expect(await runSection(folder, ["deploy"])).toEqual(
      refusal(
        `${admin.url}/api/v1/deployments answered no JSON; COLONNADE_ADMIN says where the gateway's admin listener is`,
      ),
    );
  });
});

describe("the way to the gateway", () => {
  test("an address with a slash at its end is the same", async () => {
    admin.answer = answering({}, 201);
    await runSection(folder, ["publish"], { COLONNADE_ADMIN: `${admin.url}/` });
    expect(onlyRequest().line).toBe("PUT /api/v1/sections/hello/releases/1.1.0");
  });

  test.each(["127.0.0.1", "localhost"])("a gateway at %s that does not listen is named, and why", async (host) => {
    const closed = await startAdmin();
    const url = closed.url.replace("127.0.0.1", host);
    closed.close();
    const { code, err } = await runSection(folder, ["status"], { COLONNADE_ADMIN: url });
    expect(code).toBe(1);
    expect(err).toMatch(
      /^the gateway at (\S+) cannot be reached \(.*ECONNREFUSED.*\); COLONNADE_ADMIN says where .*\n$/,
    );
    expect(err).toContain(url);
  });

  test.each(["nowhere", "ftp://127.0.0.1", "http://me:secret@127.0.0.1:9090", "http://127.0.0.1:9090/?a=1"])(
    "COLONNADE_ADMIN=%s is no address",
    async (url) => {
      expect(await runSection(folder, ["status"], { COLONNADE_ADMIN: url })).toEqual(
        refusal("COLONNADE_ADMIN is no address of an admin listener; expected one such as http://127.0.0.1:9090"),
      );
    },
  );

  test.each(["publish", "deploy", "promote", "abort", "rollback", "status", "history", "preview", "collect"])(
    "%s without a token says what is expected",
    async (command) => {
      expect(await runSection(folder, [command], { COLONNADE_TOKEN: undefined })).toEqual(
        refusal("COLONNADE_TOKEN is not set; expected the token that the gateway's operator gave you"),
      );
      expect(admin.received).toEqual([]);
    },
  );

  test.each([`${TOKEN}\n`, ` ${TOKEN}`, `${TOKEN}é`])(
    "a token that cannot be one is not sent, nor shown",
    async (token) => {
      expect(await runSection(folder, ["deploy"], { COLONNADE_TOKEN: token })).toEqual(
        refusal("COLONNADE_TOKEN holds a space, a line break or another character that no token has"),
      );
      expect(admin.received).toEqual([]);
    },
  );
});
