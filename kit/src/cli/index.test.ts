// @vitest-environment node
// The command as a team runs it, against a stand-in for the gateway's admin listener: tests/ has the gateway itself.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, rm } from "node:fs/promises";
import path from "node:path";
import { text } from "node:stream/consumers";

import type { Release } from "@colonnade/kit/build";
import * as tar from "tar";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";

import { startAdmin, type Admin, type Received } from "../../fixtures/admin.js";
import { helloSection, temporaryFolder, writeFiles } from "../../fixtures/temporary.js";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const COMMAND = path.resolve(import.meta.dirname, "../../bin/section.js");
const TOKEN = "cg_5b1f-very-secret";

interface Outcome {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

let folder: string;
let release: Release;
let admin: Admin;
let outputs: string[] = [];

async function section(args: string[], environment: NodeJS.ProcessEnv = {}, cwd = folder): Promise<Outcome> {
  const { PATH } = process.env;
  const child = spawn(process.execPath, [COMMAND, ...args], {
    cwd,
    env: { PATH, COLONNADE_ADMIN: admin.url, COLONNADE_TOKEN: TOKEN, ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  outputs.push(out, err);
  return { code: child.exitCode, out, err };
}

/** What the stand-in was sent; the test fails unless it was one request. */
function onlyRequest(): Received {
  const [request, ...others] = admin.received;
  expect(others).toEqual([]);
  if (!request) throw new Error("no request was made");
  return request;
}

/** The files of a gzipped tar, in order. */
async function unpack(archive: Buffer): Promise<Map<string, Buffer>> {
  const target = await temporaryFolder();
  const names: string[] = [];
  const extract = tar.extract({ cwd: target, onReadEntry: (entry) => names.push(entry.path) });
  extract.end(archive);
  await once(extract, "close");
  const files = names.map(async (name) => [name, await readFile(path.join(target, name))] as const);
  return new Map(await Promise.all(files));
}

beforeAll(async () => {
  admin = await startAdmin();
  folder = await helloSection();
  const { code, out } = await section(["build"]);
  expect(code).toBe(0);
  release = JSON.parse(await readFile(path.join(folder, "release/release.json"), "utf8")) as Release;
  expect(out).toMatch(
    new RegExp(`^built hello@${release.version}: ${String(release.files.length)} files, \\d+ KiB\n$`),
  );
});

afterAll(() => {
  admin.close();
});

beforeEach(() => {
  outputs = [];
  admin.received = [];
  admin.answer = { status: 500, body: "no request was expected" };
});

afterEach(() => {
  for (const output of outputs) expect(output).not.toContain(TOKEN);
});

describe("section build", () => {
  test("says that nothing changed", async () => {
    expect(await section(["build"])).toEqual({ code: 0, out: `hello@${release.version} is up to date\n`, err: "" });
  });

  test("--json prints the result as data", async () => {
    const { out } = await section(["build", "--json"]);
    expect(JSON.parse(out)).toEqual({ name: "hello", version: release.version, built: false });
  });

  test("--final builds the package's own version", async () => {
    const { out } = await section(["build", "--final"], {}, await helloSection());
    expect(out).toMatch(/^built hello@0\.1\.0: /);
  });

  test("outside a section says so, without a trace", async () => {
    const elsewhere = await temporaryFolder();
    expect(await section(["build"], {}, elsewhere)).toEqual({
      code: 1,
      out: "",
      err: `${elsewhere} has no section.config.js: run this in the folder of a section\n`,
    });
  });

  test("needs neither gateway nor token", async () => {
    expect((await section(["build"], { COLONNADE_TOKEN: "", COLONNADE_ADMIN: "nowhere" })).code).toBe(0);
  });
});

describe("section publish", () => {
  test("sends release.json and exactly the listed files, with the token", async () => {
    admin.answer = { status: 201, body: "{}" };
    await writeFiles(folder, { "release/client/stray.txt": "not listed" });
    const { code, out } = await section(["publish"]);
    expect({ code, out }).toEqual({ code: 0, out: `hello@${release.version} is published\n` });

    const { line, headers, body } = onlyRequest();
    expect(line).toBe(`PUT /api/v1/sections/hello/releases/${release.version}`);
    expect(headers.authorization).toBe(`Bearer ${TOKEN}`);
    expect(headers["content-type"]).toBe("application/gzip");
    expect([...body.subarray(0, 2)]).toEqual([0x1f, 0x8b]);

    const sent = await unpack(body);
    expect([...sent.keys()]).toEqual(["release.json", ...release.files.map((file) => file.path)]);
    for (const [name, bytes] of sent)
      expect(bytes.equals(await readFile(path.join(folder, "release", name))), name).toBe(true);
  });

  test("says that the gateway had the release", async () => {
    admin.answer = { status: 200, body: "{}" };
    expect((await section(["publish"])).out).toBe(`hello@${release.version} was published already\n`);
  });

  test.each([
    [201, true],
    [200, false],
  ])("--json prints the result as data, status %i", async (status, isNew) => {
    admin.answer = { status, body: "{}" };
    const { out } = await section(["publish", "--json"]);
    expect(JSON.parse(out)).toEqual({ name: "hello", version: release.version, isNew });
  });

  test("without a release says what to run first", async () => {
    const unbuilt = await helloSection();
    expect(await section(["publish"], {}, unbuilt)).toEqual({
      code: 1,
      out: "",
      err: `${path.join(unbuilt, "release")} holds no release; run \`section build\` first\n`,
    });
    expect(admin.received).toEqual([]);
  });

  test("of a release that lacks a file sends nothing and names the file", async () => {
    const broken = await helloSection();
    await section(["build"], {}, broken);
    await rm(path.join(broken, "release", release.entry));
    expect(await section(["publish"], {}, broken)).toEqual({
      code: 1,
      out: "",
      err: `${path.join(broken, "release", release.entry)} is missing; remove the folder release and run \`section build\` again\n`,
    });
    expect(admin.received).toEqual([]);
  });
});

describe("section deploy", () => {
  const LIVE = JSON.stringify({ number: 7, releases: { hello: "1.0.0" }, live: true });

  test("without a name puts the package's own release live", async () => {
    admin.answer = { status: 201, body: LIVE };
    expect(await section(["deploy"])).toEqual({ code: 0, out: "deployment 7 is live\n", err: "" });
    const { line, headers, body } = onlyRequest();
    expect(line).toBe("POST /api/v1/deployments");
    expect(headers.authorization).toBe(`Bearer ${TOKEN}`);
    expect(headers["content-type"]).toBe("application/json");
    expect(JSON.parse(body.toString())).toEqual({ releases: { hello: release.version } });
  });

  test("sends the named releases and the reason together", async () => {
    admin.answer = { status: 201, body: LIVE };
    await section(["deploy", "hello@1.4.0", "shell@2.0.0-dev.1a", "--reason", "a better greeting"]);
    expect(JSON.parse(onlyRequest().body.toString())).toEqual({
      releases: { hello: "1.4.0", shell: "2.0.0-dev.1a" },
      reason: "a better greeting",
    });
  });

  test("says that nothing changed", async () => {
    admin.answer = { status: 200, body: LIVE };
    expect((await section(["deploy"])).out).toBe("deployment 7 has these releases already\n");
  });

  test("--json prints the deployment as data", async () => {
    admin.answer = { status: 201, body: LIVE };
    const { out } = await section(["deploy", "--json"]);
    expect(JSON.parse(out)).toEqual({ number: 7, releases: { hello: "1.0.0" }, live: true, isNew: true });
  });

  test.each(["hello", "hello@", "@1.0.0"])("%j names no release", async (name) => {
    expect(await section(["deploy", name])).toEqual({
      code: 1,
      out: "",
      err: `"${name}" names no release; expected name@version, such as directory@1.4.0\n`,
    });
    expect(admin.received).toEqual([]);
  });
});

describe("an answer that is no success", () => {
  test("a problem document is printed with all of its problems", async () => {
    admin.answer = {
      status: 422,
      body: JSON.stringify({
        type: "about:blank",
        title: "The release is refused",
        status: 422,
        detail: "Nothing of it was kept.",
        problems: ["pattern `/hello/`: it must not end with a slash", "slot `join` is filled twice"],
      }),
    };
    expect(await section(["publish"])).toEqual({
      code: 1,
      out: "",
      err: `PUT /api/v1/sections/hello/releases/${release.version}: 422 The release is refused
Nothing of it was kept.
- pattern \`/hello/\`: it must not end with a slash
- slot \`join\` is filled twice
`,
    });
  });

  test.each([
    ["plain text", "Bad Gateway", "Bad Gateway"],
    ["JSON that is no object", "null", "null"],
    ["nothing", "", undefined],
  ])("%s of something in between is printed as it is", async (_, body, printed) => {
    admin.answer = { status: 502, body };
    const { code, err } = await section(["deploy"]);
    expect(code).toBe(1);
    expect(err.trimEnd().split("\n")).toEqual([
      "POST /api/v1/deployments: 502",
      ...(printed === undefined ? [] : [printed]),
    ]);
  });

  test("a success that is no JSON is not the gateway's", async () => {
    admin.answer = { status: 200, body: "<h1>It works!</h1>" };
    const { code, err } = await section(["deploy"]);
    expect(code).toBe(1);
    expect(err).toBe(
      `${admin.url}/api/v1/deployments answered no JSON; COLONNADE_ADMIN says where the gateway's admin listener is\n`,
    );
  });
});

describe("the way to the gateway", () => {
  test("an address with a slash at its end is the same", async () => {
    admin.answer = { status: 201, body: "{}" };
    await section(["publish"], { COLONNADE_ADMIN: `${admin.url}/` });
    expect(onlyRequest().line).toBe(`PUT /api/v1/sections/hello/releases/${release.version}`);
  });

  test("a gateway that does not listen is named, with what says where it is", async () => {
    const closed = await startAdmin();
    const { url } = closed;
    closed.close();
    const { code, err } = await section(["deploy"], { COLONNADE_ADMIN: url });
    expect(code).toBe(1);
    expect(err).toMatch(
      /^the gateway at (\S+) cannot be reached \(.*ECONNREFUSED.*\); COLONNADE_ADMIN says where .*\n$/,
    );
    expect(err).toContain(url);
  });

  test.each(["publish", "deploy"])("%s without a token says what is expected", async (command) => {
    expect(await section([command], { COLONNADE_TOKEN: undefined })).toEqual({
      code: 1,
      out: "",
      err: "COLONNADE_TOKEN is not set; expected the token that the gateway's operator gave you\n",
    });
  });

  test.each([`${TOKEN}\n`, ` ${TOKEN}`, `${TOKEN}é`])(
    "a token that cannot be one is not sent, nor shown",
    async (token) => {
      expect(await section(["deploy"], { COLONNADE_TOKEN: token })).toEqual({
        code: 1,
        out: "",
        err: "COLONNADE_TOKEN holds a space, a line break or another character that no token has\n",
      });
      expect(admin.received).toEqual([]);
    },
  );
});

describe("what is no command", () => {
  test.each([
    [[], "no command given"],
    [["release"], '"release" is no command'],
    [["constructor"], '"constructor" is no command'],
    [["build", "--fast"], "Unknown option '--fast'"],
    [["deploy", "--reason"], "Option '--reason <value>' argument missing"],
  ])("%j is refused with the usage", async (args, problem) => {
    const { code, out, err } = await section(args);
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(err.startsWith(problem), err).toBe(true);
    for (const command of ["section build", "section publish", "section deploy"]) expect(err).toContain(command);
  });
});
