import type { Readable, Writable } from "node:stream";

/** An input stream, which may be a terminal. */
export type Input = Readable & { readonly isTTY?: boolean };

/** An output stream, which may be a terminal. */
export type Output = Writable & { readonly isTTY?: boolean };

/** What a command reads from and writes to. Tests pass their own. */
export interface ProcessContext {
  /** Working directory. */
  readonly folder: string;
  readonly environment: NodeJS.ProcessEnv;
  /** Answers questions if it is a terminal. */
  readonly stdin?: Input;
  /** Receives the result. */
  readonly stdout: Output;
  /** Receives errors and warnings, and progress if it is a terminal. */
  readonly stderr: Output;
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
  /** What explains the warnings. */
  readonly hint?: string;
}
