import { COMMANDS } from "./commands.js";
import type { ProcessContext } from "./context.js";
import { programOf } from "./program.js";
import { run } from "./run.js";

/** Runs the `colonnade` command. Returns its exit code. */
export function main(args: readonly string[], context: ProcessContext): Promise<number> {
  return run(args, context, programOf(COMMANDS));
}
