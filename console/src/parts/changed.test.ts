import { expect, test } from "vitest";

import type { Change, Section } from "../openapi.js";
import { isRecent, lastChanges } from "./changed.js";

test("lastChanges has the newest publish or change of each section", () => {
  const sections = [
    { name: "legal", releases: [{ publishedAt: "2030-01-01T10:00:00Z" }, { publishedAt: "2030-01-01T11:00:00Z" }] },
    { name: "events", releases: [{ publishedAt: "2030-01-01T12:00:00Z" }] },
  ] as unknown as Section[];
  const changes = [
    { at: "2030-01-01T11:30:00+00:00", sections: { legal: {}, events: {} } },
    { at: "2030-01-01T09:00:00Z", sections: { gone: {} } },
  ] as unknown as Change[];
  expect(Object.fromEntries(lastChanges(sections, changes))).toEqual({
    legal: "2030-01-01T11:30:00+00:00",
    events: "2030-01-01T12:00:00Z",
    gone: "2030-01-01T09:00:00Z",
  });
});

test("isRecent is true for an hour", () => {
  const now = Date.parse("2030-01-01T12:00:00Z");
  expect(isRecent("2030-01-01T11:00:01Z", now)).toBe(true);
  expect(isRecent("2030-01-01T11:00:00Z", now)).toBe(false);
  expect(isRecent(undefined, now)).toBe(false);
});
