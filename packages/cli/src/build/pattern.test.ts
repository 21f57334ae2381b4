import { describe, expect, test } from "vitest";

import cases from "../../../../tests/tables/paths.json" with { type: "json" };
import { collidingPatterns, patternProblem } from "./pattern.js";

describe("patternProblem", () => {
  test.each(cases.invalidPatterns)("rejects $pattern: $reason", ({ pattern }) => {
    expect(patternProblem(pattern)).not.toBeNull();
  });

  test.each([...new Set(cases.match.flatMap(({ patterns }) => patterns))])("accepts %s", (pattern) => {
    expect(patternProblem(pattern)).toBeNull();
  });
});

test.each(cases.collide)("collidingPatterns: $a and $b", ({ a, b, collide }) => {
  expect(collidingPatterns(a, b)).toBe(collide);
});
