import { expect, it } from "vitest";

import { FAQ } from "./faq";

it("the questions are ten, each its own and each with an answer", () => {
  expect(FAQ).toHaveLength(10);
  expect(new Set(FAQ.map((entry) => entry.question)).size).toBe(10);
  expect(new Set(FAQ.map((entry) => entry.Answer)).size).toBe(10);
  expect(FAQ.filter((entry) => !entry.question.endsWith("?"))).toEqual([]);
});
