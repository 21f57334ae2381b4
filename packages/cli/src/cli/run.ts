import { CommanderError } from "@commander-js/extra-typings";

import { ERROR_KINDS, UsageError } from "../build/usageError.js";
import type { ProcessContext } from "./context.js";
import { printable } from "./printable.js";
import type { CreateProgram } from "./program.js";

/** The exit code of commands that the signal SIGPIPE ends. */
const BROKEN_PIPE = 141;

// The reader of a pipe, such as `head`, may end early.
function onOutputError(error: NodeJS.ErrnoException): void {
  if (error.code === "EPIPE") process.exit(BROKEN_PIPE);
  throw error;
}

/**
 * Runs a program. Returns the exit code: 0, that of the printed error's kind, or 1 after a bug. Ends the process quietly if
 * nothing reads its output.
 */
export async function run(
  args: readonly string[],
  context: ProcessContext,
  createProgram: CreateProgram,
): Promise<number> {
  for (const stream of [context.stdout, context.stderr]) stream.on("error", onOutputError);
  try {
    await createProgram(args, context).parseAsync(args, { from: "user" });
    return 0;
  } catch (error) {
    // Commander has printed its help or error message.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : ERROR_KINDS.usage.exitCode;
    if (!(error instanceof Error)) throw error;
    // A usage error needs a message; a bug needs a stack trace.
    const text = error instanceof UsageError ? `error: ${error.message}` : (error.stack ?? error.message);
    context.stderr.write(`${printable(text)}\n`);
    return error instanceof UsageError ? error.exitCode : 1;
  }
}
