import { once } from "node:events";
import { Worker } from "node:worker_threads";

/** What a watchdog thread starts with. */
export interface WatchdogData {
  /** File to append the report to. */
  readonly reports: string;
  /** The CPU time of this process, in microseconds, at which the step exceeds its limit; 0 between steps. */
  readonly deadline: Float64Array;
  /** The current step: its limit in milliseconds, the length of its name in bytes, and its name in UTF-8. */
  readonly limit: Int32Array;
  readonly name: Uint8Array;
}

// The gateway's engine is slower than V8, so code that exceeds these limits also exceeds the gateway's.
/** Limit of CPU time in milliseconds to evaluate a section or the module of a page. */
export const LOAD_LIMIT = 2000;
/**
 * Limit of CPU time in milliseconds for one path of a page or one example of an extension. The first render of a process
 * compiles React, for which a busy machine takes up to 100 ms.
 */
export const PATH_LIMIT = 500;

const NAME_BYTES = 4096;

/** Ends this process when a step exceeds its limit of CPU time. */
interface Watchdog {
  /** Begins a step. */
  start(step: string, limit: number): void;
  /** Names what the current step does next. The limit stays. */
  rename(step: string): void;
  /** Ends the step. */
  stop(): void;
}

/** The CPU time of this process in microseconds. */
export function cpuTime(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}

/**
 * Starts the watchdog. It is a thread, because an endless loop blocks this one, and measures CPU time, because other
 * processes can delay this one.
 */
export async function startWatchdog(reports: string): Promise<Watchdog> {
  const deadline = new Float64Array(new SharedArrayBuffer(8));
  const limits = new Int32Array(new SharedArrayBuffer(8));
  const name = new Uint8Array(new SharedArrayBuffer(NAME_BYTES));
  const workerData: WatchdogData = { reports, deadline, limit: limits, name };
  const worker = new Worker(new URL("./watchdogThread.js", import.meta.url), { workerData });
  await once(worker, "online");
  worker.unref();
  const rename = (step: string): void => {
    // Encoders do not write to shared memory.
    const bytes = new TextEncoder().encode(step).subarray(0, NAME_BYTES);
    name.set(bytes);
    limits[1] = bytes.length;
  };
  return {
    start(step, limit) {
      rename(step);
      limits[0] = limit;
      deadline[0] = cpuTime() + limit * 1000;
    },
    rename,
    stop() {
      deadline[0] = 0;
    },
  };
}
