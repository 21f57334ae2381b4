// Help, commands and options, which all commands share.
import { readFileSync } from "node:fs";
import path from "node:path";

import { beforeAll, describe, expect, test } from "vitest";

import { jsonResponse } from "../../fixtures/admin.js";
import {
  admin,
  argumentFailure,
  builtFolder,
  failure,
  jsonBody,
  onlyRequest,
  REMOTE_COMMANDS,
  runSection,
  spawnSection,
} from "../../fixtures/command.js";
import { writeFiles } from "../../fixtures/temporary.js";

const WITHOUT_ENVIRONMENT = ["new", "types", "upgrade", "completion"];
const LOCAL = [...WITHOUT_ENVIRONMENT, "dev", "build", "check"];

const { version } = JSON.parse(readFileSync(path.resolve(import.meta.dirname, "../../package.json"), "utf8")) as {
  version: string;
};

let folder: string;

beforeAll(async () => {
  folder = await builtFolder();
});

test("the program prints the result and sets the exit code", async () => {
  admin.response = jsonResponse({ entries: [], next: null });
  expect(await spawnSection(folder, ["history"])).toEqual({ code: 0, out: "no changes\n", err: "" });
  expect(await spawnSection(folder, ["history", "x"])).toEqual(
    argumentFailure("history", "too many arguments for 'history'. Expected 0 arguments but got 1."),
  );
});

test("a command ends quietly if nothing reads its output", async () => {
  expect(await spawnSection(folder, ["--help"], {}, true)).toEqual({ code: 141, out: "", err: "" });
});

describe("--help", () => {
  test.each(["--help", "-h", "help"])("%s lists every command and the environment", async (help) => {
    const { code, out, err } = await runSection(folder, [help], { COLONNADE_TOKEN: undefined });
    expect({ code, err }).toEqual({ code: 0, err: "" });
    for (const command of [...LOCAL, ...REMOTE_COMMANDS])
      expect(out).toMatch(new RegExp(`^ {2}${command}\\b.*  \\S`, "m"));
    for (const variable of ["COLONNADE_ADMIN", "COLONNADE_TOKEN"]) expect(out).toContain(variable);
    const names = /^Environment variables \((.*) do not read them; (.*) read\n/m.exec(out)?.slice(1);
    expect(names?.map((list) => list.match(/\w+(?=`)/g))).toEqual([WITHOUT_ENVIRONMENT, ["dev", "build", "check"]]);
  });

  test.each([...LOCAL, ...REMOTE_COMMANDS])(
    "colonnade %s --help lists its options and the environment",
    async (command) => {
      const { code, out, err } = await runSection(folder, [command, "--help"], { COLONNADE_TOKEN: undefined });
      expect({ code, err }).toEqual({ code: 0, err: "" });
      expect(out).toMatch(new RegExp(`^Usage: colonnade ${command} \\[options\\]`));
      for (const word of ["--json", "--help", "COLONNADE_ADMIN", "COLONNADE_TOKEN"]) expect(out).toContain(word);
      expect(admin.requests).toEqual([]);
    },
  );

  test("option values are named, and a default is a word", async () => {
    expect((await runSection(folder, ["deploy", "-h"])).out).toMatch(/^ {2}--rollout \[percent\] {2,}\S/m);
    expect((await runSection(folder, ["check", "-h"])).out).toMatch(
      /--api <name=url> (?:.*\n){1,3}?.*\(default: none\)/,
    );
  });
});

test("without a command, the list of commands is printed", async () => {
  const { code, out, err } = await runSection(folder, []);
  expect({ code, out }).toEqual({ code: 2, out: "" });
  expect(err).toMatch(/^Usage: colonnade /);
  for (const command of [...LOCAL, ...REMOTE_COMMANDS]) expect(err).toMatch(new RegExp(`^ {2}${command}\\b`, "m"));
});

describe("an unknown name is rejected with the nearest one", () => {
  test.each([
    [["release"], "unknown command 'release'"],
    [["constructor"], "unknown command 'constructor'"],
    [["--verbose", "status"], "unknown option '--verbose'"],
    [["statsu"], "unknown command 'statsu'\n(Did you mean status?)"],
  ])("%j", async (args, message) => {
    expect(await runSection(folder, args)).toEqual(failure(`${message}\nRun \`colonnade help\` for the commands.`));
  });

  test.each([
    ["status", ["--jsno"], "unknown option '--jsno'\n(Did you mean --json?)"],
    ["deploy", ["--rolout", "10"], "unknown option '--rolout'\n(Did you mean --rollout?)"],
  ])("colonnade %s %j", async (command, args, message) => {
    expect(await runSection(folder, [command, ...args])).toEqual(argumentFailure(command, message));
  });
});

describe("invalid arguments are rejected", () => {
  test.each([
    ["build", ["--fast"], "unknown option '--fast'"],
    ["build", ["-f"], "unknown option '-f'"],
    ["build", ["--constructor"], "unknown option '--constructor'"],
    ["build", ["--final=yes"], "unknown option '--final=yes'"],
    ["build", ["--final", "--final"], "option '--final' was given more than once"],
    ["build", ["hello"], "too many arguments for 'build'. Expected 0 arguments but got 1."],
    ["deploy", ["--reason"], "option '--reason <text>' argument missing"],
    ["deploy", ["--reason="], "option '--reason <text>' argument missing"],
    ["deploy", ["--reason", "--json"], "option '--reason <text>' argument missing"],
    ["deploy", ["--reason", "--base", "7"], "option '--reason <text>' argument missing"],
    ["deploy", ["--reason", "one", "--reason", "other"], "option '--reason <text>' was given more than once"],
    ["status", ["--reason", "x"], "unknown option '--reason'\n(Did you mean one of --json, --version?)"],
  ])("colonnade %s %j", async (command, args, message) => {
    expect(await runSection(folder, [command, ...args])).toEqual(argumentFailure(command, message));
    expect(admin.requests).toEqual([]);
  });

  test("control characters in an argument are replaced", async () => {
    expect(await runSection(folder, ["build", "--\x1b[2J"])).toEqual(
      argumentFailure("build", "unknown option '--\ufffd[2J'"),
    );
  });
});

test("--api may be repeated", async () => {
  const apis = ["--api", "a=http://a.test", "--api", "b=http://b.test"];
  expect(await runSection(folder, ["dev", ...apis, "--port", "x"])).toEqual(
    argumentFailure("dev", "option '--port <number>' argument 'x' is invalid. Expected a port number, 0 to 65535."),
  );
});

test.each([["--version"], ["status", "--version"]])("%j prints the version of the command", async (...args) => {
  expect(await runSection(folder, args)).toEqual({ code: 0, out: `${version}\n`, err: "" });
  expect(admin.requests).toEqual([]);
});

test("--help lists the exit code of each kind of error", async () => {
  const { out } = await runSection(folder, ["build", "--help"]);
  const [, list = ""] = out.split("Exit codes:\n");
  expect(list.trimEnd().split("\n")).toEqual([
    expect.stringMatching(/^ {2}0 {2}success$/),
    expect.stringMatching(/^ {2}1 {2}.*bug/),
    expect.stringMatching(/^ {2}2 {2}.*arguments, environment or configuration/),
    expect.stringMatching(/^ {2}3 {2}.*build or the check/),
    expect.stringMatching(/^ {2}4 {2}.*rejected/),
    expect.stringMatching(/^ {2}5 {2}.*token/),
    expect.stringMatching(/^ {2}6 {2}.*unreachable/),
  ]);
});

test("an unexpected error has a stack trace and exit code 1", async () => {
  // The release is no object, which only a bug in the build could cause.
  const broken = await builtFolder();
  await writeFiles(broken, { "release/release.json": "null" });
  const { code, err } = await runSection(broken, ["deploy"]);
  expect(code).toBe(1);
  expect(err).toMatch(/^TypeError: .*\n {4}at /);
});

test("--json may come before the command", async () => {
  admin.response = jsonResponse({ entries: [], next: null });
  expect((await runSection(folder, ["--json", "history"])).out).toBe('{"entries":[],"next":null}\n');
});

test("a value may start with a dash if it is joined to its option", async () => {
  admin.response = jsonResponse({ number: 7, releases: {}, live: true }, 201);
  await runSection(folder, ["deploy", "--reason=-5 degrees"]);
  expect(jsonBody(onlyRequest())).toEqual({ releases: { hello: "1.1.0" }, reason: "-5 degrees" });
});

test("a usage error of a command is printed without a stack trace", async () => {
  expect(await runSection(folder, ["history"], { COLONNADE_TOKEN: "" })).toEqual(
    failure(
      "COLONNADE_TOKEN is not set; expected the admin API token from the gateway operator, or a sign-in with `colonnade login`",
    ),
  );
});
