// @vitest-environment happy-dom
import { describe, expect, test } from "vitest";

import table from "../../../tests/tables/error-classes.json" with { type: "json" };
import { errorClass, isChunkLoadError, REPORTED_CLASSES } from "./errorClass.js";

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
    ["https://site.example/private", "Other"],
    [{ constructor: { name: "visitor@example.com" } }, "Other"],
    [Object.create(null), "Other"],
    [undefined, "Other"],
    [null, "Other"],
  ])("%o", (error, name) => {
    expect(errorClass(error)).toBe(name);
  });

  test("the classes are those that the gateway accepts", () => {
    expect([...REPORTED_CLASSES]).toEqual(table);
  });

  test("isChunkLoadError matches the name that webpack sets", () => {
    expect(isChunkLoadError(chunkLoadError())).toBe(true);
    expect(isChunkLoadError(new Error("Loading chunk 7 failed."))).toBe(false);
    expect(isChunkLoadError("ChunkLoadError")).toBe(false);
  });
});
