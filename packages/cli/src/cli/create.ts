import type { ProcessContext } from "./context.js";
import { defineNew } from "./new.js";
import { singleCommand } from "./program.js";
import { run } from "./run.js";

/** Runs `create-section`, which is `npm create @colonnade/section`, so it imports no other command. Returns its exit code. */
export function create(args: readonly string[], context: ProcessContext): Promise<number> {
  return run(args, context, singleCommand("create-section", defineNew));
}
