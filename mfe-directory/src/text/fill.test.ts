import { expect, it } from "vitest";

import { fill } from "./fill";

it("fill replaces every occurrence of a token", () => {
  expect(fill("{state}: {count} cities of {state}", { state: "Ohio", count: "7" })).toBe("Ohio: 7 cities of Ohio");
});

it("fill inserts values literally", () => {
  expect(fill("{brand}", { brand: "$& {state}" })).toBe("$& {state}");
});

it.each(["{nothing}", "{constructor}"])("fill keeps %s without a value", (text) => {
  expect(fill(text, {})).toBe(text);
});
