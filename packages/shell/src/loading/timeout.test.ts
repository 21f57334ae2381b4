import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";

import { withTimeout } from "./timeout.js";

describe("withTimeout", () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });

  afterEach(() => {
    vi.useRealTimers();
  });

  test("a promise settling in time passes and clears the timer", async () => {
    await expect(withTimeout(Promise.resolve(7), 100, "seven")).resolves.toBe(7);
    expect(vi.getTimerCount()).toBe(0);
  });

  test("a rejection passes through", async () => {
    await expect(withTimeout(Promise.reject(new Error("own")), 100, "it")).rejects.toThrow("own");
  });

  test("a promise that hangs is rejected, and the error names it", async () => {
    const outcome = expect(withTimeout(new Promise(() => undefined), 100, "the page /")).rejects.toThrow(
      "the page / took longer than 100 ms",
    );
    await vi.advanceTimersByTimeAsync(100);
    await outcome;
  });
});
