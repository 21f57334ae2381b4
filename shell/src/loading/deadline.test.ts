import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";

import { withDeadline } from "./deadline";

describe("withDeadline", () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });

  afterEach(() => {
    vi.useRealTimers();
  });

  test("what is in time passes, and leaves no timer", async () => {
    await expect(withDeadline(Promise.resolve(7), 100, "seven")).resolves.toBe(7);
    expect(vi.getTimerCount()).toBe(0);
  });

  test("what fails, fails by its own error", async () => {
    await expect(withDeadline(Promise.reject(new Error("own")), 100, "it")).rejects.toThrow("own");
  });

  test("what hangs is given up, by name", async () => {
    const outcome = expect(withDeadline(new Promise(() => undefined), 100, "the page /")).rejects.toThrow(
      "the page / took longer than 100 ms",
    );
    await vi.advanceTimersByTimeAsync(100);
    await outcome;
  });
});
