const STALL_TIMEOUT = 8_000;

/**
 * Downloads a file, so that the browser's cache has it. Ends if nothing arrives for 8 seconds, however long the whole file takes.
 *
 * @returns Whether the file came.
 */
export async function fetchFile(url: string, cache: RequestCache): Promise<boolean> {
  const stalled = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const expectMore = (): void => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      stalled.abort();
    }, STALL_TIMEOUT);
  };
  expectMore();
  try {
    const { body, ok } = await fetch(url, { cache, signal: stalled.signal });
    // The whole file: only then does the browser store it.
    await body?.pipeTo(new WritableStream({ write: expectMore }));
    return ok;
  } catch {
    return false;
  } finally {
    clearTimeout(timer);
  }
}
