// One byte at 30 kbit/s.
const MS_PER_BYTE = 8 / 30;

/**
 * How long to wait for one file of a page or another part, in milliseconds. `bytes` is the length of all its files: they share the
 * connection.
 */
export function fileTimeout(bytes = 0): number {
  return 8_000 + Math.round(bytes * MS_PER_BYTE);
}

/** How long to wait for a page or another part, in milliseconds: its files load in several steps. */
export function viewTimeout(bytes?: number): number {
  return fileTimeout(bytes) + 7_000;
}

/** Rejects if a promise takes longer than `ms` milliseconds. `subject` names it in the error. */
export function withTimeout<Value>(promise: Promise<Value>, ms: number, subject: string): Promise<Value> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new Error(`${subject} took longer than ${String(ms)} ms`));
    }, ms);
  });
  return Promise.race([promise, timeout]).finally(() => {
    clearTimeout(timer);
  });
}
