/**
 * Rejects when a promise takes longer than `ms` milliseconds. What hangs is treated as what failed:
 * the visitor gets the fallback and may try again.
 */
export function withDeadline<Value>(promise: Promise<Value>, ms: number, what: string): Promise<Value> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const deadline = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new Error(`${what} took longer than ${String(ms)} ms`));
    }, ms);
  });
  return Promise.race([promise, deadline]).finally(() => {
    clearTimeout(timer);
  });
}
