// Checks that the guides show only existing commands with valid arguments.
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";

import { describe, expect, test } from "vitest";

import { MemoryStream } from "../../fixtures/command.js";
import { COMMANDS } from "./commands.js";
import { createProgram } from "./program.js";

const ROOT = path.resolve(import.meta.dirname, "../../..");
const TEMPLATE = "kit/templates/section";
const PAGES = readdirSync(path.join(ROOT, "docs"), { recursive: true, encoding: "utf8" })
  // The API reference is generated.
  .filter((file) => file.endsWith(".md") && !file.startsWith("api/"))
  .map((file) => `docs/${file}`);

/** Splits a shell command into words. Double quotes join words. */
function splitWords(line: string): string[] {
  return [...line.matchAll(/"([^"]*)"|\S+/g)].map(([word, quoted]) => quoted ?? word);
}

function programFor(args: readonly string[]): ReturnType<typeof createProgram> {
  const stream = new MemoryStream();
  return createProgram(args, { folder: ROOT, environment: {}, stdout: stream, stderr: stream }, COMMANDS);
}

/** Parses the arguments of `section` without running the command. */
async function parseOnly(args: readonly string[]): Promise<void> {
  const program = programFor(args);
  for (const command of program.commands) command.action(() => undefined);
  await program.parseAsync(args, { from: "user" });
}

function read(file: string): string {
  return readFileSync(path.join(ROOT, file), "utf8");
}

/** Returns the commands in shell blocks and code spans, without comments and redirections. */
function commandsIn(guide: string): string[] {
  const text = read(guide);
  const blocks = [...text.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block = ""]) => block);
  const spans = [...text.matchAll(/`([^`\n]+)`/g)].map(([, span = ""]) => span);
  const lines = [...blocks.flatMap((block) => block.split("\n")), ...spans];
  return [...new Set(lines.map((line) => line.replace(/ +[#>].*/, "").trim()))];
}

const NAMES = programFor([]).commands.map((command) => command.name());
const TARGETS = [...read("Makefile").matchAll(/^([\w-]+):/gm)].map(([, target]) => target);
const { scripts } = JSON.parse(read(`${TEMPLATE}/package.json`)) as { scripts: Readonly<Record<string, string>> };

describe.each(["README.md", `${TEMPLATE}/README.md`, ...PAGES])("%s", (guide) => {
  const commands = commandsIn(guide);

  test("shows valid commands", async () => {
    for (const command of commands) {
      const [, create, section = create] =
        /^npx (?:--package \S+ )?(?:create-section (.*)|section ([a-z].*))/.exec(command) ?? [];
      const args = splitWords(section ?? "");
      if (args.length > 0)
        await expect(parseOnly(create === undefined ? args : ["new", ...args]), command).resolves.toBeUndefined();
      const [, name] = /^section ([a-z-]+)/.exec(command) ?? [];
      if (name !== undefined) expect(NAMES, command).toContain(name);
      const [, targets] = /^make ((?:[a-z-]+ ?)+)$/.exec(command) ?? [];
      if (targets !== undefined) expect(TARGETS, command).toEqual(expect.arrayContaining(targets.split(" ")));
      const [, script] = /^npm (?:run )?(test|(?<=run )\S+)$/.exec(command) ?? [];
      if (script !== undefined) expect(scripts, command).toHaveProperty(script);
    }
  });
});

test("docs/ci.md shows the workflow of a new section", () => {
  const [, workflow] = /^```yaml \[\.github\/workflows\/ci\.yml\]\n(.*?)^```$/ms.exec(read("docs/ci.md")) ?? [];
  expect(workflow).toBe(read(`${TEMPLATE}/.github/workflows/ci.yml`));
});

test.each(["README.md", "docs/tutorial.md", "docs/write-a-section.md", `${TEMPLATE}/README.md`])(
  "%s shows how to build, publish and deploy",
  (guide) => {
    expect(commandsIn(guide)).toEqual(
      expect.arrayContaining(["npx section build", "npx section publish", "npx section deploy --rollout 10"]),
    );
  },
);
