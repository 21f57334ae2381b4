const MIN_BACKOFF = 1_000;
const MAX_BACKOFF = 30_000;

/** Waits, but no longer than until the browser is back online. */
function backOff(ms: number): Promise<void> {
  return new Promise((resolve) => {
    const done = new AbortController();
    const end = (): void => {
      clearTimeout(timer);
      done.abort();
      resolve();
    };
    const timer = setTimeout(end, ms);
    addEventListener("online", end, { signal: done.signal });
  });
}

/**
 * Loads something, with retries until it succeeds.
 *
 * @param onFailure Called with the error of each attempt. If it rejects, no further attempt follows.
 */
export async function loadWithRetries<Value>(
  load: (isRetry: boolean) => Promise<Value>,
  onFailure: (error: unknown) => Promise<void>,
): Promise<Value> {
  for (let wait = MIN_BACKOFF; ; wait = Math.min(wait * 2, MAX_BACKOFF)) {
    try {
      return await load(wait > MIN_BACKOFF);
    } catch (error) {
      await onFailure(error);
    }
    await backOff(wait);
  }
}
