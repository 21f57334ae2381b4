import { expect, test, vi } from "vitest";

import { isNotFound, notFound } from "./notFound.js";

test("notFound carries the heading of the page to be shown", () => {
  expect(notFound("State not found").heading).toBe("State not found");
  expect(notFound().heading).toBe("Page not found");
});

test("isNotFound recognises an answer of another copy of the kit", async () => {
  vi.resetModules();
  const other = await import("./notFound.js");
  expect(other.notFound).not.toBe(notFound);
  expect(isNotFound(other.notFound())).toBe(true);
  expect(other.isNotFound(notFound())).toBe(true);
});

test.each([undefined, null, "Page not found", { heading: "Page not found" }, [], 0])(
  "data is no such answer: %j",
  (data) => {
    expect(isNotFound(data)).toBe(false);
  },
);

test("the mark does not show in the answer's own keys", () => {
  expect(JSON.stringify(notFound("City not found"))).toBe('{"heading":"City not found"}');
});
