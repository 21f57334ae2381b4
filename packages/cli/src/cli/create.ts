import type { ProcessContext } from "./context.js";
import { addNewCommand } from "./new.js";
import { run } from "./run.js";

/** Runs `colonnade new`. Returns its exit code. This is `npm create @colonnade/section`, so it imports no other command. */
export function create(args: readonly string[], context: ProcessContext): Promise<number> {
  return run(["new", ...args], context, [addNewCommand]);
}
