import { expect, test } from "vitest";

import { phasesOf } from "./paint-phases.mjs";

const THREAD = { pid: 1, tid: 2 };
const mark = (/** @type {string} */ name, /** @type {number} */ ts) => ({
  ...THREAD,
  ...{ name, ts, cat: "blink.user_timing", ph: "R" },
});
const task = (/** @type {string} */ name, /** @type {number} */ ts, /** @type {number} */ dur, thread = THREAD) => ({
  ...thread,
  ...{ name, ts, dur, cat: "devtools.timeline", ph: "X" },
});

test("each moment until the page is ready is of the innermost event of a phase", () => {
  const phases = phasesOf([
    mark("navigationStart", 0),
    mark("navigationStart", 10_000),
    task("RunTask", 12_000, 8_000),
    task("EvaluateScript", 13_000, 6_000),
    task("v8.compile", 13_000, 1_000),
    task("v8.run", 14_000, 5_000),
    task("Layout", 15_000, 2_000),
    task("Layout", 15_000, 9_000, { pid: 1, tid: 3 }),
    task("FunctionCall", 22_000, 5_000),
    mark("ready", 25_000),
  ]);
  expect(phases).toEqual({
    waiting: 4,
    "parse HTML": 0,
    "layout and paint": 2,
    compile: 1,
    evaluate: 3,
    React: 3,
    other: 2,
  });
});

test("a trace without the mark is rejected", () => {
  expect(() => phasesOf([mark("navigationStart", 0)])).toThrow("no mark with the name ready");
});
