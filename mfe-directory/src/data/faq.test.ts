import { expect, it } from "vitest";

import { FAQ } from "./faq";

it("FAQ has ten distinct questions with distinct answers", () => {
  expect(FAQ).toHaveLength(10);
  expect(new Set(FAQ.map((entry) => entry.question)).size).toBe(10);
  expect(new Set(FAQ.map((entry) => entry.Answer)).size).toBe(10);
  expect(FAQ.filter((entry) => !entry.question.endsWith("?"))).toEqual([]);
});
