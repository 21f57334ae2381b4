import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { fetchResult } from "./fetchResult.js";

const fetched = vi.fn<(path: string, init: RequestInit) => Promise<Response>>();

beforeEach(() => {
  vi.stubGlobal("fetch", fetched.mockReset());
});

afterEach(() => {
  vi.unstubAllGlobals();
});

const bytes = (...values: number[]): Response => new Response(new Uint8Array(values));

/** A response whose connection closes in the middle of the body. */
function cut(): Response {
  const body = new ReadableStream({
    pull(controller) {
      controller.error(new TypeError("network error"));
    },
  });
  return new Response(body);
}

/** What a browser returns for a redirect that it does not follow. */
function redirect(): Response {
  return Object.defineProperties(new Response(null), { status: { value: 0 }, type: { value: "opaqueredirect" } });
}

// The gateway has the same results: a page must not depend on who requests its queries.
test.each([
  ["200 with JSON", Response.json([1]), { ok: true, value: [1] }],
  ["another successful status", Response.json([1], { status: 203 }), { ok: false, status: 502 }],
  ["no content", new Response(null, { status: 204 }), { ok: false, status: 502 }],
  ["a redirect", redirect(), { ok: false, status: 502 }],
  ["HTML", new Response("<!doctype html>"), { ok: false, status: 502 }],
  ["invalid UTF-8", bytes(0x22, 0xff, 0x22), { ok: false, status: 502 }],
  ["a byte order mark", bytes(0xef, 0xbb, 0xbf, 0x30), { ok: false, status: 502 }],
  ["a body that is cut", cut(), { ok: false, status: 502 }],
  ["a failure", Response.json({ error: "gone" }, { status: 410 }), { ok: false, status: 410 }],
])("%s is the result that the gateway has", async (_, response, expected) => {
  fetched.mockResolvedValueOnce(response);
  expect(await fetchResult("/api/a", "omit", new AbortController())).toEqual(expected);
  expect(fetched.mock.calls[0]?.[1]).toMatchObject({ redirect: "manual" });
});
