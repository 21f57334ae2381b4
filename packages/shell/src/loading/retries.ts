import type { ResolvedExtension } from "@colonnade/kit/shell";

import { refetch } from "./fetchFile.js";
import { viewTimeout, withTimeout } from "./timeout.js";

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

/**
 * Loads the code of a page or an extension whose HTML is readable without it, with retries until it succeeds.
 *
 * @param subject Names it in errors.
 * @param left No attempt starts once it is aborted.
 * @param onFailure As in {@link loadWithRetries}.
 */
export function loadCode<Value>(
  { section, assets, bytes }: Pick<ResolvedExtension, "section" | "assets" | "bytes">,
  subject: string,
  left: AbortSignal,
  load: () => Promise<Value>,
  onFailure: (error: unknown) => Promise<void>,
): Promise<Value> {
  return loadWithRetries(async (isRetry) => {
    // Nothing shows it again.
    if (left.aborted) return new Promise<never>(() => undefined);
    if (isRetry) await refetch(section, assets);
    return withTimeout(load(), viewTimeout(bytes), subject);
  }, onFailure);
}
