import { cleanup, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, expect, test } from "vitest";

import { timeOf } from "../format.js";
import { LineChart, type Line } from "./LineChart.js";

const LIVE: Line = {
  label: "Live",
  kind: "live",
  values: [
    [1, 10],
    [2, 30],
    [3, null],
    [4, 20],
  ],
};
const CANDIDATE: Line = {
  label: "Candidate",
  kind: "candidate",
  values: [
    [1, null],
    [2, 5],
    [3, null],
    [4, 7],
  ],
};

afterEach(cleanup);

function show(lines: readonly Line[]): { chart: HTMLElement; container: HTMLElement; spoken: () => string | null } {
  const { container } = render(<LineChart title="Requests" lines={lines} format={(value) => `${String(value)} r`} />);
  const chart = screen.getByRole("slider", { name: "Requests" });
  return { chart, container, spoken: () => chart.getAttribute("aria-valuetext") };
}

/** Reads a minute in the form of the readout. */
const at = (minute: number, text: string): string => `${timeOf(minute * 60_000)}: ${text}`;

test("LineChart reads the newest values, and others by keys", () => {
  const { chart, spoken } = show([LIVE, CANDIDATE]);
  expect(spoken()).toBe(at(4, "Live 20 r, Candidate 7 r"));
  const press = (key: string): string | null => {
    fireEvent.keyDown(chart, { key });
    return spoken();
  };
  expect(press("ArrowLeft")).toBe(at(3, "Live no requests, Candidate no requests"));
  expect(press("Home")).toBe(at(1, "Live 10 r, Candidate no requests"));
  expect(press("ArrowLeft")).toBe(at(1, "Live 10 r, Candidate no requests"));
  expect(press("ArrowRight")).toBe(at(2, "Live 30 r, Candidate 5 r"));
  expect(press("End")).toBe(at(4, "Live 20 r, Candidate 7 r"));
  expect(press("ArrowRight")).toBe(at(4, "Live 20 r, Candidate 7 r"));
  expect(press("x")).toBe(at(4, "Live 20 r, Candidate 7 r"));
});

test("LineChart reads the values under the pointer until it leaves", () => {
  const { chart, spoken } = show([LIVE]);
  // The chart is 320 pixels wide until it is measured, with 4 pixels on each side.
  fireEvent.pointerMove(chart, { clientX: 110 });
  expect(spoken()).toBe(at(2, "Live 30 r"));
  fireEvent.pointerMove(chart, { clientX: -50 });
  expect(spoken()).toBe(at(1, "Live 10 r"));
  fireEvent.pointerLeave(chart);
  expect(spoken()).toBe(at(4, "Live 20 r"));
});

test("LineChart interrupts a line where there is no value", () => {
  const { container } = show([LIVE]);
  // Heights: 0 at 100, the axis' maximum of 50 at 16.
  expect(container.querySelector("path")?.getAttribute("d")).toBe("M4.0 83.2L108.0 49.6M316.0 66.4");
  const dots = [...container.querySelectorAll("circle")].map((dot) => dot.getAttribute("cx"));
  expect(dots, "values without a neighbor").toEqual(["316"]);
});

test.each([
  [0, "1 r"],
  [1, "1 r"],
  [3, "5 r"],
  [51, "100 r"],
  [0.15, "0.2 r"],
])("The axis of values up to %d ends at %s", (value, maximum) => {
  const { container } = show([{ ...LIVE, values: [[1, value]] }]);
  expect(container.querySelector(".axis")?.textContent).toBe(maximum);
});

test("LineChart without values has an empty readout", () => {
  const { chart, spoken } = show([{ ...LIVE, values: [] }]);
  expect(spoken()).toBe(": Live no requests");
  expect(chart.getAttribute("aria-valuemax")).toBe("0");
});
