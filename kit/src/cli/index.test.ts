// What every command has in common: names, help, options.
import { beforeAll, describe, expect, test } from "vitest";

import { answering } from "../../fixtures/admin.js";
import {
  admin,
  jsonOf,
  onlyRequest,
  refusal,
  releasedFolder,
  runSection,
  spawnSection,
} from "../../fixtures/command.js";

const LOCAL = ["new", "build"];
const REMOTE = ["publish", "deploy", "promote", "abort", "rollback", "status", "history", "preview", "collect"];

let folder: string;

beforeAll(async () => {
  folder = await releasedFolder();
});

test("the program prints the result, and ends with what became of it", async () => {
  admin.answer = answering({ entries: [], next: null });
  expect(await spawnSection(folder, ["history"])).toEqual({ code: 0, out: "no changes\n", err: "" });
  expect(await spawnSection(folder, ["history", "x"])).toEqual(refusal('section history does not expect "x"'));
});

describe("--help", () => {
  test.each(["--help", "-h", "help"])("%s names every command and what it needs", async (help) => {
    const { code, out, err } = await runSection(folder, [help], { COLONNADE_TOKEN: undefined });
    expect({ code, err }).toEqual({ code: 0, err: "" });
    for (const command of [...LOCAL, ...REMOTE]) expect(out).toMatch(new RegExp(`^section ${command}\\b.*  \\S`, "m"));
    for (const variable of ["COLONNADE_ADMIN", "COLONNADE_TOKEN"]) expect(out).toContain(variable);
  });

  test.each([...LOCAL, ...REMOTE])("of section %s names its options and the environment", async (command) => {
    const { code, out, err } = await runSection(folder, [command, "--help"], { COLONNADE_TOKEN: undefined });
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(out).toMatch(new RegExp(`^section ${command} .*\\[options\\]\n`));
    for (const word of ["--json", "--help", "COLONNADE_ADMIN", "COLONNADE_TOKEN"]) expect(out).toContain(word);
    expect(admin.received).toEqual([]);
  });

  test("says how an option's value is called", async () => {
    expect((await runSection(folder, ["deploy", "-h"])).out).toMatch(/^ {2}--rollout <percent> {2}\S/m);
  });
});

describe("what is no command is refused with all there are", () => {
  test.each([
    [[], "no command given; expected one of\n"],
    [["release"], '"release" is no command; expected one of\n'],
    [["constructor"], '"constructor" is no command; expected one of\n'],
    [["--json", "status"], '"--json" is no command; expected one of\n'],
  ])("%j", async (args, problem) => {
    const { code, out, err } = await runSection(folder, args);
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(err.startsWith(problem), err).toBe(true);
    for (const command of [...LOCAL, ...REMOTE]) expect(err).toContain(`section ${command}`);
  });
});

describe("what was not expected is refused with what was", () => {
  test.each([
    [["build", "--fast"], "unknown option --fast; expected one of --final, --development, --json, --help"],
    [["build", "-f"], "unknown option -f; expected one of --final, --development, --json, --help"],
    [
      ["build", "--constructor"],
      "unknown option --constructor; expected one of --final, --development, --json, --help",
    ],
    [["build", "--final=yes"], "--final takes no value; expected --final alone"],
    [["build", "hello"], 'section build does not expect "hello"'],
    [["deploy", "--reason"], "--reason has no value; expected --reason <text>"],
    [["deploy", "--reason="], "--reason has no value; expected --reason <text>"],
    [["deploy", "--reason", "--json"], "--reason has no value; expected --reason <text>"],
    [["deploy", "--reason", "one", "--reason", "other"], "--reason is given twice; expected once"],
    [["status", "--reason", "x"], "unknown option --reason; expected one of --json, --help"],
  ])("%j", async (args, words) => {
    expect(await runSection(folder, args)).toEqual(refusal(words));
    expect(admin.received).toEqual([]);
  });
});

test("a value may begin with a dash where it is joined to its option", async () => {
  admin.answer = answering({ number: 7, releases: {}, live: true }, 201);
  await runSection(folder, ["deploy", "--reason=-5 degrees"]);
  expect(jsonOf(onlyRequest())).toEqual({ releases: { hello: "1.1.0" }, reason: "-5 degrees" });
});
