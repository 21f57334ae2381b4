import { afterEach, expect, test, vi } from "vitest";

import { MemoryStream } from "../../fixtures/command.js";
import { stepProgress, uploadProgress } from "./progress.js";

afterEach(() => {
  vi.useRealTimers();
});

test("on a terminal, one line is redrawn and finally erased", () => {
  const stderr = new MemoryStream(true);
  const progress = uploadProgress(stderr);
  progress.update(1, 4096);
  progress.update(2, 4096);
  progress.update(2048, 4096);
  progress.update(4096, 4096);
  progress.clear();
  expect(stderr.written).toBe(
    [
      "\rsent 1 of 4 KiB (0%)\x1b[K",
      "\rsent 2 of 4 KiB (50%)\x1b[K",
      "\rsent 4 of 4 KiB (100%)\x1b[K",
      "\r\x1b[K",
    ].join(""),
  );
});

test("clear writes nothing if there was no progress", () => {
  const stderr = new MemoryStream(true);
  uploadProgress(stderr).clear();
  expect(stderr.written).toBe("");
});

test("nothing is written if stderr is not a terminal", () => {
  const stderr = new MemoryStream(false);
  const progress = uploadProgress(stderr);
  progress.update(2048, 4096);
  progress.clear();
  expect(stderr.written).toBe("");
});

test("steps on a terminal show their elapsed seconds", () => {
  vi.useFakeTimers();
  const stderr = new MemoryStream(true);
  const progress = stepProgress(stderr);
  progress.start("bundles");
  vi.advanceTimersByTime(1500);
  progress.start("check");
  vi.advanceTimersByTime(1000);
  progress.clear();
  vi.advanceTimersByTime(5000);
  expect(stderr.written).toBe(
    ["\rbundles 0 s\x1b[K", "\rbundles 1 s\x1b[K", "\rcheck 0 s\x1b[K", "\rcheck 1 s\x1b[K", "\r\x1b[K"].join(""),
  );
});

test("steps without a terminal write nothing", () => {
  vi.useFakeTimers();
  const stderr = new MemoryStream(false);
  const progress = stepProgress(stderr);
  progress.start("bundles");
  vi.advanceTimersByTime(1500);
  progress.clear();
  expect(stderr.written).toBe("");
});
