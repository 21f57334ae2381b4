import { chmod, readFile } from "node:fs/promises";
import path from "node:path";

import { beforeAll, beforeEach, expect, test, vi } from "vitest";

import { jsonResponse } from "../../fixtures/admin.js";
import {
  admin,
  argumentFailure,
  builtFolder,
  failure,
  jsonBody,
  MemoryStream,
  onlyRequest,
  runSection,
  type CommandOutput,
} from "../../fixtures/command.js";
import { temporaryFolder, writeFiles } from "../../fixtures/temporary.js";

const SITE = "https://site.example";
const PREVIEW = { deployment: 14, url: `${SITE}/_preview/1.eyJ9.c2ln`, expiresAt: "2026-01-31T11:02:03Z" };
const OPENER = process.platform === "darwin" ? "open" : "xdg-open";

let folder: string;

beforeAll(async () => {
  folder = await builtFolder();
});
beforeEach(() => {
  admin.responses = {
    "GET /api/v1/deployments": jsonResponse({ live: 12, rollouts: [], deployments: [], url: SITE }),
    "POST /api/v1/previews": jsonResponse(PREVIEW, 201),
  };
});

/** Runs `open` on a terminal. */
async function openOnTerminal(args: readonly string[], environment: NodeJS.ProcessEnv): Promise<CommandOutput> {
  return runSection(folder, ["open", ...args], environment, {
    stdout: new MemoryStream(true),
    stderr: new MemoryStream(true),
  });
}

/** A desktop whose opener records the URL in a file. */
async function fakeDesktop(): Promise<{ environment: NodeJS.ProcessEnv; openedUrl: () => Promise<string> }> {
  const bin = await temporaryFolder();
  const record = path.join(bin, "opened");
  await writeFiles(bin, { [OPENER]: `#!/bin/sh\nprintf %s "$1" > ${record}.new && mv ${record}.new ${record}\n` });
  await chmod(path.join(bin, OPENER), 0o755);
  return {
    environment: { DISPLAY: "", WAYLAND_DISPLAY: "wayland-0", PATH: `${bin}:${process.env.PATH ?? ""}` },
    openedUrl: () => vi.waitFor(() => readFile(record, "utf8"), { timeout: 5000 }),
  };
}

test("open on a desktop opens the section's live page", async () => {
  const { environment, openedUrl } = await fakeDesktop();
  expect(await openOnTerminal([], environment)).toEqual({ code: 0, out: `opened ${SITE}/hello\n`, err: "" });
  expect(await openedUrl()).toBe(`${SITE}/hello`);
  expect(onlyRequest().line).toBe("GET /api/v1/deployments");
});

test("open --preview opens a link to this folder's release", async () => {
  const { environment, openedUrl } = await fakeDesktop();
  expect((await openOnTerminal(["--preview"], environment)).out).toBe(`opened ${PREVIEW.url}\n`);
  expect(await openedUrl()).toBe(PREVIEW.url);
  expect(jsonBody(onlyRequest())).toEqual({ releases: { hello: "1.1.0" }, path: "/hello" });
});

test("open without a terminal prints the URL", async () => {
  const { environment } = await fakeDesktop();
  expect(await runSection(folder, ["open"], environment)).toEqual({ code: 0, out: `${SITE}/hello\n`, err: "" });
});

test.each([
  ["a desktop", { DISPLAY: undefined, WAYLAND_DISPLAY: undefined }],
  ["a program that opens URLs", { DISPLAY: ":0", PATH: "/nowhere" }],
])("open without %s prints the URL", async (_, environment) => {
  // Every Mac has a desktop.
  if (process.platform === "darwin" && !("PATH" in environment)) return;
  expect((await openOnTerminal([], environment)).out).toBe(`${SITE}/hello\n`);
});

test("open --print prints the URL", async () => {
  const { environment } = await fakeDesktop();
  expect((await openOnTerminal(["--print"], environment)).out).toBe(`${SITE}/hello\n`);
});

test("open does not start a program for another scheme", async () => {
  admin.responses = { "POST /api/v1/previews": jsonResponse({ ...PREVIEW, url: "file:///etc/passwd" }, 201) };
  const { environment } = await fakeDesktop();
  expect((await openOnTerminal(["--preview"], environment)).out).toBe("file:///etc/passwd\n");
});

test("open --path selects the page", async () => {
  expect((await runSection(folder, ["open", "--path", "/hello/Welsh?x=1"])).out).toBe(`${SITE}/hello/Welsh?x=1\n`);
  expect(await runSection(folder, ["open", "--path", "//elsewhere.example"])).toEqual(
    argumentFailure(
      "open",
      "option '--path <path>' argument '//elsewhere.example' is invalid. Expected a path on the site, such as /hello.",
    ),
  );
});

test("open in a folder without a release shows the home page", async () => {
  const { out } = await runSection(await temporaryFolder(), ["open", "--json"]);
  expect(JSON.parse(out)).toEqual({ url: `${SITE}/`, opened: false });
});

test("open with an older gateway is rejected", async () => {
  admin.responses = { "GET /api/v1/deployments": jsonResponse({ live: 12, rollouts: [], deployments: [] }) };
  expect(await runSection(folder, ["open"])).toEqual(
    failure("the gateway does not report the site's URL; expected a gateway of this command's version, update it"),
  );
});
