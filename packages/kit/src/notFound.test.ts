import { expect, test, vi } from "vitest";

import { isNotFound, notFound } from "./notFound.js";

test("notFound sets the heading, with a default", () => {
  expect(notFound("State not found").heading).toBe("State not found");
  expect(notFound().heading).toBe("Page not found");
});

test("isNotFound recognizes a value from another copy of the kit", async () => {
  vi.resetModules();
  const other = await import("./notFound.js");
  expect(other.notFound).not.toBe(notFound);
  expect(isNotFound(other.notFound())).toBe(true);
  expect(other.isNotFound(notFound())).toBe(true);
});

test.each([undefined, null, "Page not found", { heading: "Page not found" }, [], 0])(
  "isNotFound rejects other data: %j",
  (data) => {
    expect(isNotFound(data)).toBe(false);
  },
);

test("the marker of notFound is not serialized", () => {
  expect(JSON.stringify(notFound("City not found"))).toBe('{"heading":"City not found"}');
});
