// @vitest-environment happy-dom
import { describe, expect, test } from "vitest";

import { errorClass, isChunkLoadError } from "./errorClass.js";

function chunkLoadError(): Error {
  return Object.assign(new Error("Loading chunk 7 failed."), { name: "ChunkLoadError" });
}

describe("errorClass", () => {
  class CheckoutError extends Error {}
  class PaymentError extends RangeError {}

  test.each<[unknown, string]>([
    [new TypeError("a message"), "TypeError"],
    [new CheckoutError("a message"), "Error"],
    [new PaymentError("a message"), "RangeError"],
    [new DOMException("a message", "AbortError"), "AbortError"],
    [new DOMException("a message", "visitor@example.com"), "DOMException"],
    [chunkLoadError(), "ChunkLoadError"],
    [Object.assign(new Error("m"), { name: "visitor@example.com" }), "Error"],
    [Object.assign(new Error("m"), { constructor: { name: "visitor@example.com" } }), "Error"],
    ["https://site.example/private", "String"],
    [{ constructor: { name: "visitor@example.com" } }, "Object"],
    [Object.create(null), "Other"],
    [undefined, "Other"],
    [null, "Other"],
  ])("%o", (error, name) => {
    expect(errorClass(error)).toBe(name);
  });

  test("isChunkLoadError matches the name that webpack sets", () => {
    expect(isChunkLoadError(chunkLoadError())).toBe(true);
    expect(isChunkLoadError(new Error("Loading chunk 7 failed."))).toBe(false);
    expect(isChunkLoadError("ChunkLoadError")).toBe(false);
  });
});
