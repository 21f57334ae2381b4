import { expect, test } from "vitest";

import { Screen } from "../../fixtures/command.js";
import { showProgress } from "./progress.js";

test("on a terminal draws one line over itself, and leaves it empty", () => {
  const screen = new Screen(true);
  const progress = showProgress(screen);
  progress.show(1, 4096);
  progress.show(2, 4096);
  progress.show(2048, 4096);
  progress.show(4096, 4096);
  progress.clear();
  expect(screen.written).toBe(
    [
      "\rsent 1 of 4 KiB (0%)\x1b[K",
      "\rsent 2 of 4 KiB (50%)\x1b[K",
      "\rsent 4 of 4 KiB (100%)\x1b[K",
      "\r\x1b[K",
    ].join(""),
  );
});

test("leaves a terminal alone when there was nothing to show", () => {
  const screen = new Screen(true);
  showProgress(screen).clear();
  expect(screen.written).toBe("");
});

test("writes nothing to what is no terminal", () => {
  const screen = new Screen(false);
  const progress = showProgress(screen);
  progress.show(2048, 4096);
  progress.clear();
  expect(screen.written).toBe("");
});
