import { setTimeout as delay } from "node:timers/promises";

import { GatewayError } from "../build/usageError.js";
import type { CommandContext, CommandResult, Output } from "./context.js";
import { printable } from "./printable.js";

// Interval for results that the admin API cannot wait for.
const INTERVAL_MS = 2000;
// Clears the screen and moves the cursor to its start.
const CLEAR_SCREEN = "\x1b[2J\x1b[H";

/** How to watch a result. */
export interface WatchOptions<Result extends CommandResult = CommandResult> {
  readonly read: (signal: AbortSignal) => Promise<Result>;
  readonly print: (result: Result) => void;
  readonly printError: (message: string) => void;
  /** Whether to print an unchanged result again after an error, because the error has taken its place. */
  readonly repeatAfterError: boolean;
  readonly intervalMs: number;
}

/** Reads a result until the signal, and prints it when it has changed. An unavailable gateway is retried. */
export async function watch<Result extends CommandResult>(
  options: WatchOptions<Result>,
  signal: AbortSignal,
): Promise<void> {
  const { read, print, printError, repeatAfterError, intervalMs } = options;
  let printed: string | undefined;
  let lastError: string | undefined;
  do {
    try {
      const result = await read(signal);
      const data = JSON.stringify(result.data);
      if (data !== printed || (repeatAfterError && lastError !== undefined)) print(result);
      printed = data;
      lastError = undefined;
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof GatewayError) || error.kind !== "unavailable") throw error;
      if (error.message !== lastError) printError(error.message);
      lastError = error.message;
    }
    await delay(intervalMs, undefined, { signal }).catch(() => undefined);
  } while (!signal.aborted);
}

/**
 * Shows a result again whenever it changes, until the user interrupts it. On a terminal each result replaces the earlier one;
 * with `--json` each result is a line.
 */
export async function watchResult(
  { stdout, stderr, printResult }: CommandContext,
  json: boolean,
  read: WatchOptions["read"],
): Promise<void> {
  const options: WatchOptions = {
    read,
    print: (result) => {
      if (stdout.isTTY && !json) stdout.write(CLEAR_SCREEN);
      printResult(result);
    },
    printError: retryWarning(stderr),
    repeatAfterError: !json,
    intervalMs: INTERVAL_MS,
  };
  await untilInterrupted((signal) => watch(options, signal));
}

/** Returns a function that prints an error as a warning, before a retry. */
export function retryWarning(stderr: Output): WatchOptions["printError"] {
  return (message) => stderr.write(`warning: ${printable(message)}; retrying\n`);
}

/** Runs a task until it ends or the user interrupts it, such as with Ctrl+C. */
export async function untilInterrupted(task: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const controller = new AbortController();
  const interrupt = (): void => {
    controller.abort();
  };
  process.once("SIGINT", interrupt);
  try {
    await task(controller.signal);
  } finally {
    process.off("SIGINT", interrupt);
  }
}
