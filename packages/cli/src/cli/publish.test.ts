import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { readFile, rm } from "node:fs/promises";
import { createServer, type AddressInfo } from "node:net";
import path from "node:path";

import { publish } from "@colonnade/cli";
import * as tar from "tar";
import { beforeAll, expect, test } from "vitest";

import { jsonResponse } from "../../fixtures/admin.js";
import {
  admin,
  builtFolder,
  failure,
  MemoryStream,
  onlyRequest,
  runSection,
  spawnSection,
  TOKEN,
} from "../../fixtures/command.js";
import { temporaryFolder, writeFiles } from "../../fixtures/temporary.js";

const LINE = "PUT /api/v1/sections/hello/releases/1.1.0";

let folder: string;

beforeAll(async () => {
  folder = await builtFolder();
});

/** Extracts the files of a gzipped tar archive, in order. */
async function unpack(archive: Buffer): Promise<Map<string, Buffer>> {
  const target = await temporaryFolder();
  const names: string[] = [];
  const extract = tar.extract({ cwd: target, onReadEntry: (entry) => names.push(entry.path) });
  extract.end(archive);
  await once(extract, "close");
  const files = names.map(async (name) => [name, await readFile(path.join(target, name))] as const);
  return new Map(await Promise.all(files));
}

test("publish sends release.json, the listed files and the token", async () => {
  admin.response = jsonResponse({}, 201);
  await writeFiles(folder, { "release/client/stray.txt": "not listed" });
  expect(await runSection(folder, ["publish"])).toEqual({ code: 0, out: "hello@1.1.0 is published\n", err: "" });

  const { line, headers, body } = onlyRequest();
  expect(line).toBe(LINE);
  expect(headers.authorization).toBe(`Bearer ${TOKEN}`);
  expect(headers["content-type"]).toBe("application/gzip");
  expect(headers["content-length"]).toBe(String(body.length));

  const sent = await unpack(body);
  expect([...sent.keys()]).toEqual(["release.json", "client/entry.1.js", "server/index.js"]);
  for (const [name, bytes] of sent)
    expect(bytes.equals(await readFile(path.join(folder, "release", name))), name).toBe(true);
});

const GITHUB = {
  GITHUB_SHA: "4bf92f3577b34da6a3ce929d0e0e4736",
  GITHUB_SERVER_URL: "https://git.example",
  GITHUB_REPOSITORY: "team/hello",
  GITHUB_RUN_ID: "12",
  GITHUB_ACTOR: "jose",
};
const GITLAB = { CI_COMMIT_SHA: "4bf92f35", CI_JOB_URL: "http://git.internal/jobs/1", GITLAB_USER_LOGIN: "jose" };

test.each([
  [
    "GitHub Actions",
    GITHUB,
    [],
    { commit: GITHUB.GITHUB_SHA, url: "https://git.example/team/hello/actions/runs/12", author: "jose" },
  ],
  ["GitLab CI without https", GITLAB, [], { commit: "4bf92f35", author: "jose" }],
  [
    "the options",
    GITHUB,
    ["--commit", "abc", "--url", "https://git.example/abc", "--author", "José"],
    { commit: "abc", url: "https://git.example/abc", author: "José" },
  ],
])("the source of a release is that of %s", async (_, environment, options, source) => {
  admin.response = jsonResponse({}, 201);
  expect((await runSection(folder, ["publish", ...options], environment)).code).toBe(0);
  const header = String(onlyRequest().headers["colonnade-source"]);
  expect(JSON.parse(header)).toEqual(source);
  expect(header).toMatch(/^[ -~]+$/);
});

test("the commit of a repository is the source, with its changes", async () => {
  admin.response = jsonResponse({}, 201);
  const repository = await builtFolder();
  const git = (...args: string[]): string =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@site.example", ...args], {
      cwd: repository,
      encoding: "utf8",
    }).trim();
  git("init", "--quiet");
  git("add", "--all");
  git("commit", "--quiet", "--message", "first");
  await runSection(repository, ["publish"]);
  expect(onlyRequest().headers["colonnade-source"]).toBe(JSON.stringify({ commit: git("rev-parse", "HEAD") }));
});

test("a URL without https is refused", async () => {
  const { code, err } = await runSection(folder, ["publish", "--url", "http://git.example/abc"]);
  expect(code).not.toBe(0);
  expect(err).toContain("Expected a URL with https and without credentials.");
  expect(admin.requests).toEqual([]);
});

test("a release the gateway already has is reported", async () => {
  admin.response = jsonResponse({});
  expect((await runSection(folder, ["publish"])).out).toBe("hello@1.1.0 was already published\n");
});

test("warnings go to stderr", async () => {
  admin.response = jsonResponse(
    { warnings: ["`/hello` is a page of `greetings`, too", "react ^20.0.0 is not live"] },
    201,
  );
  expect(await runSection(folder, ["publish"])).toEqual({
    code: 0,
    out: "hello@1.1.0 is published\n",
    err: "warning: `/hello` is a page of `greetings`, too\nwarning: react ^20.0.0 is not live\n",
  });
});

test.each([
  [201, true],
  [200, false],
])("--json prints the result with its warnings, status %i", async (status, isNew) => {
  admin.response = jsonResponse({ warnings: ["be careful"] }, status);
  const { out, err } = await runSection(folder, ["publish", "--json"]);
  expect(JSON.parse(out)).toEqual({ name: "hello", version: "1.1.0", isNew, warnings: ["be careful"] });
  expect(err).toBe("");
});

test("a missing release is reported with the command to run", async () => {
  const unbuilt = await temporaryFolder();
  expect(await runSection(unbuilt, ["publish"])).toEqual(
    failure(`${path.join(unbuilt, "release")} contains no release; run \`colonnade build\` first`),
  );
  expect(admin.requests).toEqual([]);
});

test("a release with a missing file is not sent", async () => {
  const broken = await builtFolder();
  const missing = path.join(broken, "release/client/entry.1.js");
  await rm(missing);
  expect(await runSection(broken, ["publish"])).toEqual(
    failure(`${missing} is missing; delete release/ and run \`colonnade build\` again`),
  );
  expect(admin.requests).toEqual([]);
});

// Random, so that it does not compress.
const LARGE = { "client/entry.1.js": randomBytes(1024 * 1024).toString("hex") };

test("upload progress is reported per chunk up to the total", async () => {
  admin.response = jsonResponse({}, 201);
  const updates: [sent: number, total: number][] = [];
  const access = { url: admin.url, token: TOKEN };
  await publish(await builtFolder(LARGE), access, { onProgress: (sent, total) => updates.push([sent, total]) });

  const total = onlyRequest().body.length;
  expect(updates.length).toBeGreaterThan(10);
  expect(updates.map(([sent]) => sent)).toEqual(updates.map(([sent]) => sent).toSorted((a, b) => a - b));
  expect(updates.at(-1)).toEqual([total, total]);
  expect(new Set(updates.map(([, bytes]) => bytes))).toEqual(new Set([total]));
});

test("progress is erased before the result is printed", async () => {
  admin.response = jsonResponse({ warnings: ["be careful"] }, 201);
  const stderr = new MemoryStream(true);
  const { out } = await runSection(await builtFolder(LARGE), ["publish"], {}, { stderr });
  expect(out).toBe("hello@1.1.0 is published\n");
  expect(stderr.written).toMatch(/\rsent \d+ of \d+ KiB \(\d+%\)/);
  expect(stderr.written).toContain("(100%)");
  expect(stderr.written.endsWith("\r\x1b[Kwarning: be careful\n")).toBe(true);
});

test("an error response during the upload aborts it", async () => {
  const server = createServer((socket) => {
    socket.on("error", () => undefined);
    socket.once("data", () => {
      socket.pause();
      socket.write("HTTP/1.1 413 Content Too Large\r\nContent-Length: 8\r\n\r\ntoo much");
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  // Larger than the socket buffers, so that the upload cannot complete.
  const large = await builtFolder({ "client/entry.1.js": randomBytes(16 * 1024 * 1024) });
  expect(await spawnSection(large, ["publish"], { COLONNADE_ADMIN: url })).toEqual(
    failure(`${LINE}: 413\ntoo much`, "rejected"),
  );
  server.close();
});
