import type { Writable } from "node:stream";

/** What a command reads from and writes to. Tests pass their own. */
export interface ProcessContext {
  /** Working directory. */
  readonly folder: string;
  readonly environment: NodeJS.ProcessEnv;
  /** Receives the result. */
  readonly stdout: Writable;
  /** Receives errors and warnings, and progress if it is a terminal. */
  readonly stderr: Writable & { readonly isTTY?: boolean };
}

/** What a subcommand runs with. */
export interface CommandContext extends ProcessContext {
  readonly printResult: (result: CommandResult) => void;
}

/** A result as text and as data. */
export interface CommandResult {
  readonly text: string;
  /** What `--json` prints. */
  readonly data: unknown;
  readonly warnings?: readonly string[];
}
