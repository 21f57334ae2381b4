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
