import { UsageError } from "../build/config.js";
import { abortCommand } from "./abort.js";
import { buildCommand } from "./build.js";
import { collectCommand } from "./collect.js";
import type { Command, Result, Surroundings } from "./command.js";
import { deployCommand } from "./deploy.js";
import { describeAll } from "./help.js";
import { historyCommand } from "./history.js";
import { newCommand } from "./new.js";
import { previewCommand } from "./preview.js";
import { promoteCommand } from "./promote.js";
import { publishCommand } from "./publish.js";
import { rollbackCommand } from "./rollback.js";
import { statusCommand } from "./status.js";

/** Every subcommand, in the order in which a team comes to need them. */
export const COMMANDS: readonly Command[] = [
  newCommand,
  buildCommand,
  publishCommand,
  deployCommand,
  promoteCommand,
  abortCommand,
  rollbackCommand,
  statusCommand,
  historyCommand,
  previewCommand,
  collectCommand,
];

const HELP = new Set(["--help", "-h", "help"]);

async function run(args: readonly string[], surroundings: Surroundings): Promise<Result> {
  const [name, ...rest] = args;
  if (name !== undefined && HELP.has(name)) return { text: describeAll(COMMANDS), data: null, asJson: false };
  const command = COMMANDS.find((known) => known.name === name);
  if (command) return command.run(rest, surroundings);
  const problem = name === undefined ? "no command given" : `${JSON.stringify(name)} is no command`;
  throw new UsageError(`${problem}; expected one of\n\n${describeAll(COMMANDS)}`);
}

// Words of other people's pass through here: a reason, a problem, a proxy's page. None may steer the terminal.
function printable(words: string): string {
  return words.replace(/(?![\n\t])\p{Cc}/gu, "\ufffd");
}

/** Runs the `section` command. Returns the exit code: 0, or 1 with the problem on the screen. */
export async function main(args: readonly string[], surroundings: Surroundings): Promise<number> {
  const { output, screen } = surroundings;
  try {
    const { text, data, warnings = [], asJson } = await run(args, surroundings);
    // As data they are in the result.
    if (!asJson) for (const warning of warnings) screen.write(`warning: ${printable(warning)}\n`);
    output.write(`${asJson ? JSON.stringify(data) : printable(text)}\n`);
    return 0;
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    // A mistake of the user's needs words, one of ours a trace.
    screen.write(`${printable(error instanceof UsageError ? error.message : (error.stack ?? error.message))}\n`);
    return 1;
  }
}
