import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { readFile, rm } from "node:fs/promises";
import { createServer, type AddressInfo } from "node:net";
import path from "node:path";

import { publish } from "@colonnade/kit/build";
import * as tar from "tar";
import { beforeAll, expect, test } from "vitest";

import { answering } from "../../fixtures/admin.js";
import {
  admin,
  onlyRequest,
  refusal,
  releasedFolder,
  runSection,
  Screen,
  spawnSection,
  TOKEN,
} from "../../fixtures/command.js";
import { temporaryFolder, writeFiles } from "../../fixtures/temporary.js";

const LINE = "PUT /api/v1/sections/hello/releases/1.1.0";

let folder: string;

beforeAll(async () => {
  folder = await releasedFolder();
});

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

test("sends release.json and exactly the listed files, with the token", async () => {
  admin.answer = answering({}, 201);
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

test("says that the gateway had the release", async () => {
  admin.answer = answering({});
  expect((await runSection(folder, ["publish"])).out).toBe("hello@1.1.0 was published already\n");
});

test("the gateway's warnings go to standard error", async () => {
  admin.answer = answering({ warnings: ["`/hello` is a page of `greetings`, too", "react ^20.0.0 is not live"] }, 201);
  expect(await runSection(folder, ["publish"])).toEqual({
    code: 0,
    out: "hello@1.1.0 is published\n",
    err: "warning: `/hello` is a page of `greetings`, too\nwarning: react ^20.0.0 is not live\n",
  });
});

test.each([
  [201, true],
  [200, false],
])("--json prints the result as data, warnings among it, status %i", async (status, isNew) => {
  admin.answer = answering({ warnings: ["be careful"] }, status);
  const { out, err } = await runSection(folder, ["publish", "--json"]);
  expect(JSON.parse(out)).toEqual({ name: "hello", version: "1.1.0", isNew, warnings: ["be careful"] });
  expect(err).toBe("");
});

test("without a release says what to run first", async () => {
  const unbuilt = await temporaryFolder();
  expect(await runSection(unbuilt, ["publish"])).toEqual(
    refusal(`${path.join(unbuilt, "release")} holds no release; run \`section build\` first`),
  );
  expect(admin.received).toEqual([]);
});

test("of a release that lacks a file sends nothing and names the file", async () => {
  const broken = await releasedFolder();
  const missing = path.join(broken, "release/client/entry.1.js");
  await rm(missing);
  expect(await runSection(broken, ["publish"])).toEqual(
    refusal(`${missing} is missing; remove the folder release and run \`section build\` again`),
  );
  expect(admin.received).toEqual([]);
});

// Random, so that compressing leaves it as large as it is.
const LARGE = { "client/entry.1.js": randomBytes(1024 * 1024).toString("hex") };

test("tells how much of the upload has left, part by part, up to the whole", async () => {
  admin.answer = answering({}, 201);
  const told: [sent: number, total: number][] = [];
  const access = { url: admin.url, token: TOKEN };
  await publish(await releasedFolder(LARGE), access, (sent, total) => told.push([sent, total]));

  const total = onlyRequest().body.length;
  expect(told.length).toBeGreaterThan(10);
  expect(told.map(([sent]) => sent)).toEqual(told.map(([sent]) => sent).toSorted((a, b) => a - b));
  expect(told.at(-1)).toEqual([total, total]);
  expect(new Set(told.map(([, of]) => of))).toEqual(new Set([total]));
});

test("a terminal sees how far it is, and the line is gone when the result is printed", async () => {
  admin.answer = answering({ warnings: ["be careful"] }, 201);
  const screen = new Screen(true);
  const { out } = await runSection(await releasedFolder(LARGE), ["publish"], {}, screen);
  expect(out).toBe("hello@1.1.0 is published\n");
  expect(screen.written).toMatch(/\rsent \d+ of \d+ KiB \(\d+%\)/);
  expect(screen.written).toContain("(100%)");
  expect(screen.written.endsWith("\r\x1b[Kwarning: be careful\n")).toBe(true);
});

test("a refusal that comes before everything was sent is printed, and nothing is waited for", async () => {
  const refusing = createServer((socket) => {
    socket.on("error", () => undefined);
    socket.once("data", () => {
      socket.pause();
      socket.write("HTTP/1.1 413 Content Too Large\r\nContent-Length: 8\r\n\r\ntoo much");
    });
  });
  refusing.listen(0, "127.0.0.1");
  await once(refusing, "listening");
  const url = `http://127.0.0.1:${String((refusing.address() as AddressInfo).port)}`;
  // More than the system's buffers take, so that the end of it never leaves.
  const large = await releasedFolder({ "client/entry.1.js": randomBytes(16 * 1024 * 1024).toString("hex") });
  expect(await spawnSection(large, ["publish"], { COLONNADE_ADMIN: url })).toEqual(refusal(`${LINE}: 413\ntoo much`));
  refusing.close();
});
