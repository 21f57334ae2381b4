// The guides only show commands that exist, with valid arguments.
import { readFileSync } from "node:fs";
import path from "node:path";

import { describe, expect, test } from "vitest";

import { MemoryStream } from "../../fixtures/command.js";
import { createProgram } from "./program.js";

const ROOT = path.resolve(import.meta.dirname, "../../..");

/** Splits a shell command into words. Double quotes join words. */
function splitWords(line: string): string[] {
  return [...line.matchAll(/"([^"]*)"|\S+/g)].map(([word, quoted]) => quoted ?? word);
}

/** Parses the arguments of `section` without running the command. */
async function parseOnly(args: readonly string[]): Promise<void> {
  const stream = new MemoryStream();
  const program = createProgram(args, { folder: ROOT, environment: {}, stdout: stream, stderr: stream });
  for (const command of program.commands) command.action(() => undefined);
  await program.parseAsync(args, { from: "user" });
}

describe.each(["README.md", "docs/write-a-section.md", "kit/templates/section/README.md"])("%s", (guide) => {
  const text = readFileSync(path.join(ROOT, guide), "utf8");
  const shown = [...text.matchAll(/npx (?:--package \S+ )?section ([^`#\n]+)/g)].map(([, line = ""]) => line.trim());

  test("shows how to build, publish and deploy", () => {
    expect(shown).toEqual(expect.arrayContaining(["build", "publish", "deploy --rollout 10"]));
  });

  test.each(shown.filter((line) => !line.startsWith("--help")))("section %s", async (line) => {
    await parseOnly(splitWords(line));
  });
});
