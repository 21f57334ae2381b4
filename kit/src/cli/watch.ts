import { setTimeout as delay } from "node:timers/promises";

import { GatewayError } from "../build/usageError.js";
import type { CommandResult } from "./context.js";

/** How to watch a result. */
export interface WatchOptions {
  readonly read: (signal: AbortSignal) => Promise<CommandResult>;
  readonly print: (result: CommandResult) => void;
  readonly printError: (message: string) => void;
  /** Whether to print an unchanged result again after an error, because the error has taken its place. */
  readonly repeatAfterError: boolean;
  readonly intervalMs: number;
}

/** Reads a result until the signal, and prints it when it has changed. An unavailable gateway is retried. */
export async function watch(options: WatchOptions, signal: AbortSignal): Promise<void> {
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
