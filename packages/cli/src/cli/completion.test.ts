import { execFile } from "node:child_process";
import path from "node:path";
import { promisify } from "node:util";

import { beforeAll, expect, test } from "vitest";

import { argumentFailure, MemoryStream, runSection } from "../../fixtures/command.js";
import { temporaryFolder, writeFiles } from "../../fixtures/temporary.js";
import { COMMANDS } from "./commands.js";
import { programOf } from "./program.js";

const run = promisify(execFile);

let folder: string;

beforeAll(async () => {
  folder = await temporaryFolder();
});

async function scriptFor(shell: string): Promise<string> {
  const { code, out, err } = await runSection(folder, ["completion", shell], { COLONNADE_TOKEN: undefined });
  expect({ code, err }).toEqual({ code: 0, err: "" });
  return out;
}

/** What bash suggests for the last of these words. */
async function suggestions(...words: readonly string[]): Promise<string[]> {
  await writeFiles(folder, { "colonnade.bash": await scriptFor("bash") });
  const test = `. "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _colonnade; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout } = await run("bash", ["-c", test, path.join(folder, "colonnade.bash"), "colonnade", ...words]);
  return stdout.trimEnd().split("\n");
}

test("bash completes commands and global options", async () => {
  expect(await suggestions("pr")).toEqual(["promote", "preview"]);
  expect(await suggestions("--json", "sta")).toEqual(["status"]);
  expect(await suggestions("--")).toEqual(["--version", "--json", "--help"]);
});

test("bash completes the options of the command", async () => {
  expect(await suggestions("deploy", "--r")).toEqual(["--rollout", "--remove", "--reason"]);
  expect(await suggestions("build", "--")).toEqual([
    "--final",
    "--development",
    "--site",
    "--help",
    "--version",
    "--json",
  ]);
});

test("bash completes the values of an argument", async () => {
  expect(await suggestions("completion", "")).toEqual(expect.arrayContaining(["bash", "zsh", "fish"]));
});

test.each(["bash", "zsh", "fish"])("the %s script has all commands and options", async (shell) => {
  const script = await scriptFor(shell);
  const stream = new MemoryStream();
  const program = programOf(COMMANDS)([], { folder, environment: {}, stdout: stream, stderr: stream });
  for (const command of program.commands) {
    const lines = script.split("\n").filter((line) => line.includes(command.name()));
    const text = lines.join("\n");
    for (const { long = "" } of command.options)
      expect(text).toContain(shell === "fish" ? `-l ${long.slice(2)}` : long);
  }
});

test("zsh and fish get quotes and brackets escaped", async () => {
  expect(await scriptFor("zsh")).toContain("'--path=[open this path of the site]:value:'");
  expect(await scriptFor("zsh")).toContain("'--development[use React'\\''s development build");
  expect(await scriptFor("fish")).toContain("-l development -d 'use React\\'s development build");
  expect(await scriptFor("fish")).toContain("-l path -x -d 'open this path of the site'");
});

test("an unknown shell is rejected with the known ones", async () => {
  expect(await runSection(folder, ["completion", "tcsh"])).toEqual(
    argumentFailure(
      "completion",
      "command-argument value 'tcsh' is invalid for argument 'shell'. Allowed choices are bash, zsh, fish.",
    ),
  );
});
