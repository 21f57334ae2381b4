import { afterEach, beforeEach, expect, test, vi } from "vitest";

const TIME = "2030-01-31T22:30:00Z";

beforeEach(() => {
  vi.resetModules();
});

afterEach(() => {
  vi.unstubAllEnvs();
});

test.each([
  ["UTC", "2030-01-31 22:30 UTC", "22:30 UTC"],
  ["America/New_York", "2030-01-31 22:30 UTC (17:30 local)", "22:30 UTC (17:30 local)"],
  ["Asia/Kolkata", "2030-01-31 22:30 UTC (2030-02-01 04:00 local)", "22:30 UTC (04:00 local)"],
])("times in %s are in UTC and local", async (zone, date, time) => {
  vi.stubEnv("TZ", zone);
  const { dateOf, timeOf } = await import("./format.js");
  expect(dateOf(TIME)).toBe(date);
  expect(timeOf(TIME)).toBe(time);
});
