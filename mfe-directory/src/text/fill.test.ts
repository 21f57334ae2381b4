import { expect, it } from "vitest";

import { fill } from "./fill";

it("fill puts values in the place of tokens, as often as they stand there", () => {
  expect(fill("{state}: {count} cities of {state}", { state: "Ohio", count: "7" })).toBe("Ohio: 7 cities of Ohio");
});

it("fill takes a value as text, not as a pattern", () => {
  expect(fill("{brand}", { brand: "$& {state}" })).toBe("$& {state}");
});

it.each(["{nothing}", "{constructor}"])("fill keeps %s, which has no value", (text) => {
  expect(fill(text, {})).toBe(text);
});
