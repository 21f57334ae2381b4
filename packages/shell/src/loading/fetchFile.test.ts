import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { fetchFile } from "./fetchFile.js";

const SLOW = 7_000;
const STALLED = 9_000;

/** Serves a file whose parts arrive after these times, in milliseconds. */
function serve(parts: readonly number[], status = 200): void {
  vi.stubGlobal("fetch", (_: string, { signal }: { readonly signal: AbortSignal }) => {
    const delays = parts.values();
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        signal.addEventListener("abort", () => {
          controller.error(signal.reason);
        });
      },
      pull: (controller) =>
        new Promise<void>((resolve) => {
          const { value, done } = delays.next();
          setTimeout(() => {
            if (signal.aborted) return;
            if (done) controller.close();
            else controller.enqueue(new Uint8Array(1));
            resolve();
          }, value);
        }),
    });
    return Promise.resolve(new Response(body, { status }));
  });
}

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test.each([
  ["arrives slowly for 70 s", Array<number>(10).fill(SLOW), 200, true],
  ["stops arriving", [SLOW, STALLED, SLOW], 200, false],
  ["is missing", [0], 404, false],
])("a file that %s: %j, status %i", async (_, parts, status, came) => {
  serve(parts, status);
  const outcome = vi.fn();
  void fetchFile("/assets/venues/1.0.0/reviews.js", "reload").then(outcome);
  await vi.advanceTimersByTimeAsync(71_000);
  expect(outcome).toHaveBeenCalledExactlyOnceWith(came);
});
