import { describe, expect, it } from "vitest";

import { formatDate } from "./dates.js";

describe("formatDate", () => {
  it.each([
    ["2026-01-31", "January 31, 2026"],
    ["2028-02-29", "February 29, 2028"],
    ["2026-12-01", "December 1, 2026"],
  ])("formats %s as %s", (date, text) => {
    expect(formatDate(date)).toBe(text);
  });

  it.each(["", "2026-13-01", "2026-00-10", "2026-01-00", "2026-01-32", "2026-1-1", "31 January 2026"])(
    "throws for %j",
    (date) => {
      expect(() => formatDate(date)).toThrow("expected YYYY-MM-DD");
    },
  );
});
