import type { AnyPage, QueriesContext, QueryResults } from "@colonnade/kit";
import { TEST_SITE } from "@colonnade/kit/testing";
import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { loadData } from "./pageData.js";

const fetched = vi.fn<(path: string, init: RequestInit & { signal: AbortSignal }) => Promise<Response>>();
const params = { state: "Texas" };

/** A page whose data is its results. */
function pageOf(queries?: AnyPage["queries"]): AnyPage {
  const data = ({ results }: QueriesContext & { readonly results?: QueryResults }): unknown => results;
  return { ...(queries && { queries }), data } as AnyPage;
}

const twoQueries = pageOf(() => ({ listings: "/api/listings?state=Texas", venue: "/api/venue" }));

beforeEach(() => {
  vi.stubGlobal("fetch", fetched.mockReset());
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test("queries run in parallel, without cookies", async () => {
  const responses: ((response: Response) => void)[] = [];
  fetched.mockImplementation(
    () =>
      new Promise((resolve) => {
        responses.push(resolve);
      }),
  );
  const loading = loadData({ page: twoQueries, params, search: {} }, TEST_SITE);
  expect(fetched.mock.calls.map(([path]) => path)).toEqual(["/api/listings?state=Texas", "/api/venue"]);
  for (const [, init] of fetched.mock.calls)
    expect(init).toMatchObject({ credentials: "omit", headers: { accept: "application/json" } });
  responses[1]?.(Response.json({ error: "closed" }, { status: 503 }));
  responses[0]?.(Response.json([1]));
  expect(await loading).toEqual({ listings: { ok: true, value: [1] }, venue: { ok: false, status: 503 } });
});

test("a page without queries sends no request", async () => {
  expect(await loadData({ page: pageOf(), params, search: {} }, TEST_SITE)).toEqual({});
  expect(fetched).not.toHaveBeenCalled();
});

test("after eight seconds, only the results that are missing have failed", async () => {
  vi.useFakeTimers();
  fetched.mockImplementation((path, { signal }) =>
    path === "/api/venue"
      ? Promise.resolve(Response.json("Austin"))
      : new Promise((_, reject) => {
          signal.addEventListener("abort", () => {
            reject(new DOMException("aborted", "AbortError"));
          });
        }),
  );
  const loading = loadData({ page: twoQueries, params, search: {} }, TEST_SITE);
  await vi.advanceTimersByTimeAsync(8_000);
  expect(await loading).toEqual({ listings: { ok: false, status: 504 }, venue: { ok: true, value: "Austin" } });
});
