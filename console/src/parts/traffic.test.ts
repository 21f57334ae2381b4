import { expect, test } from "vitest";

import type { TrafficPage, TrafficPoint } from "../openapi.js";
import { linesOf, sectionsOf, totalsOf } from "./traffic.js";

function point(minute: number, changes: Partial<TrafficPoint> = {}): TrafficPoint {
  return { minute, requests: 10, errors: 0, failures: 0, p50: 10, p95: 20, ...changes };
}

function traffic(changes: Partial<TrafficPage> = {}): TrafficPage {
  return {
    since: "2030-01-01T00:00:00Z",
    now: 103,
    minutes: 4,
    step: 1,
    series: [
      { section: "legal", track: "live", points: [point(100, { requests: 30 }), point(102, { errors: 2, p95: 60 })] },
      { section: "legal", track: "candidate", points: [point(103, { failures: 4 })] },
      { section: "articles", track: "live", points: [point(101)] },
      { section: "articles", track: "other", points: [point(101)] },
    ],
    ...changes,
  };
}

test("totalsOf adds the points of the sections on a track", () => {
  expect(totalsOf(traffic(), ["legal", "articles"], "live")).toEqual({ requests: 50, errors: 2, failures: 0, p95: 28 });
  expect(totalsOf(traffic(), ["articles"], "candidate")).toEqual({ requests: 0, errors: 0, failures: 0, p95: null });
});

test("totalsOf starts with the minute of the given time", () => {
  expect(totalsOf(traffic(), ["legal"], "live", 101 * 60_000).requests).toBe(10);
  expect(totalsOf(traffic(), ["legal"], "live", 102 * 60_000 + 59_999).requests).toBe(10);
  expect(totalsOf(traffic(), ["legal"], "live", 103 * 60_000).requests).toBe(0);
});

test("linesOf has a value for each minute of the range", () => {
  const [live, candidate, ...others] = linesOf(traffic(), "legal", ({ requests }) => requests, 0);
  expect(others).toEqual([]);
  expect(live).toMatchObject({
    label: "Live",
    kind: "live",
    values: [
      [100, 30],
      [101, 0],
      [102, 10],
      [103, 0],
    ],
  });
  expect(candidate).toMatchObject({
    label: "Candidate",
    values: [
      [100, 0],
      [101, 0],
      [102, 0],
      [103, 10],
    ],
  });
});

test("linesOf starts with a whole step", () => {
  const wide = traffic({ minutes: 8, step: 4, series: [{ section: "legal", track: "live", points: [point(100)] }] });
  const [live] = linesOf(wide, "legal", ({ p95 }) => p95, null);
  expect(live?.values).toEqual([
    [96, null],
    [100, 20],
  ]);
});

test("linesOf has a candidate only if there is traffic of it", () => {
  expect(linesOf(traffic(), "articles", ({ requests }) => requests, 0).map(({ label }) => label)).toEqual(["Live"]);
  expect(linesOf(traffic(), "shell", ({ requests }) => requests, 0).map(({ label }) => label)).toEqual(["Live"]);
});

test("sectionsOf lists each section once, the worst and busiest first", () => {
  const of = (section: string, track: string, changes: object): object => ({
    section,
    track,
    points: [{ ...point(100), errors: 0, failures: 0, requests: 1, ...changes }],
  });
  const series = [
    of("calm", "live", {}),
    of("busy", "live", { requests: 9 }),
    of("also-calm", "live", {}),
    of("failing", "live", { failures: 1 }),
    of("erring", "live", { errors: 1 }),
    of("erring", "candidate", { errors: 1 }),
  ] as unknown as TrafficPage["series"];
  expect(sectionsOf(traffic({ series }))).toEqual(["erring", "failing", "busy", "also-calm", "calm"]);
});
