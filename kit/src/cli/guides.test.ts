// The commands that the guides show are ones there are.
import { readFileSync } from "node:fs";
import path from "node:path";

import { describe, expect, test } from "vitest";

import { COMMANDS } from "./index.js";
import { readArguments } from "./options.js";

const ROOT = path.resolve(import.meta.dirname, "../../..");

/** Words of a shell command; quotes hold a word together. */
function wordsOf(line: string): string[] {
  return [...line.matchAll(/"([^"]*)"|\S+/g)].map(([word, quoted]) => quoted ?? word);
}

describe.each(["README.md", "docs/write-a-section.md", "kit/templates/section/README.md"])("%s", (guide) => {
  const text = readFileSync(path.join(ROOT, guide), "utf8");
  const shown = [...text.matchAll(/npx (?:--package \S+ )?section ([^`#\n]+)/g)].map(([, line = ""]) => line.trim());

  test("shows how to build, publish and deploy", () => {
    expect(shown).toEqual(expect.arrayContaining(["build", "publish", "deploy --rollout 10"]));
  });

  test.each(shown.filter((line) => !line.startsWith("--help")))("section %s", (line) => {
    const [name, ...args] = wordsOf(line);
    const command = COMMANDS.find((known) => known.name === name);
    if (!command) throw new Error(`there is no section ${String(name)}`);
    const { operands } = readArguments(args, command.options);
    if (command.operands === undefined) expect(operands).toEqual([]);
  });
});
