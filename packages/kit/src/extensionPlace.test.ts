import { expect, test } from "vitest";

import { identifierPrefix } from "./extensionPlace.js";

test("extensions with similar names have other identifiers", () => {
  expect(identifierPrefix("shell/x-y@1", "a")).not.toBe(identifierPrefix("shell-x/y@1", "a"));
  expect(identifierPrefix("shell/x@1", "a")).toMatch(/^[\w-]+$/);
});
