import { CommanderError } from "@commander-js/extra-typings";

import { UsageError } from "../build/config.js";
import type { ProcessContext } from "./context.js";
import { createProgram, printable } from "./program.js";

/** Runs the `section` command. Returns the exit code: 0, or 1 after printing the error. */
export async function main(args: readonly string[], context: ProcessContext): Promise<number> {
  try {
    await createProgram(args, context).parseAsync(args, { from: "user" });
    return 0;
  } catch (error) {
    // Commander has printed its help or error message.
    if (error instanceof CommanderError) return error.exitCode;
    if (!(error instanceof Error)) throw error;
    // A usage error needs a message; a bug needs a stack trace.
    const text = error instanceof UsageError ? `error: ${error.message}` : (error.stack ?? error.message);
    context.stderr.write(`${printable(text)}\n`);
    return 1;
  }
}
