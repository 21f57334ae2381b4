import { beforeEach, describe, expect, it, vi } from "vitest";

import { mockJsonResponse, mockPendingResponse, mockFetch } from "../testing/signup";
import { TIMEOUT_MS, sendSignup, type Outcome } from "./send";

const FIELDS = { email: "a@example.com", password: "secret", age: 34 };
const FAILED = "Signup failed. Please try again.";

beforeEach(() => {
  vi.stubGlobal("navigator", { onLine: true });
});

function send(): Promise<Outcome> {
  return sendSignup(FIELDS, new AbortController().signal);
}

describe("the request", () => {
  it("posts JSON to the site's origin and follows no redirect", async () => {
    const fetchMock = mockJsonResponse(200, {});
    await send();
    const [url, init] = fetchMock.mock.calls[0] ?? [];
    expect(url).toBe("/functions/v1/signup");
    expect(init).toMatchObject({ method: "POST", credentials: "same-origin", redirect: "manual", cache: "no-store" });
    expect(JSON.parse(init?.body as string)).toStrictEqual(FIELDS);
  });
});

describe("a response", () => {
  it.each([200, 201])("%i with an object is created", async (status) => {
    mockJsonResponse(status, { redirectUrl: "/terms" });
    expect(await send()).toEqual({ kind: "created", redirectUrl: "/terms" });
  });

  it.each([
    [409, "refused"],
    [422, "refused"],
    [429, "refused"],
    // There may be an account.
    [500, undefined],
  ])("%i with an error is rejected with that error", async (status, result) => {
    mockJsonResponse(status, { error: "Not this one." });
    expect(await send()).toEqual({ kind: "rejected", error: "Not this one.", result });
  });

  it.each([{}, { error: "" }, { error: "  " }, { error: 5 }, { error: null }])(
    "an error of %j is rejected with the generic error",
    async (body) => {
      mockJsonResponse(500, body);
      expect(await send()).toEqual({ kind: "rejected", error: FAILED });
    },
  );

  it.each([502, 503, 504])("%i with unreachable is unreachable", async (status) => {
    mockJsonResponse(status, { error: "Down.", unreachable: true });
    expect(await send()).toEqual({ kind: "unreachable", cause: `HTTP ${String(status)}` });
  });

  it.each([
    [503, { error: "Busy." }],
    [503, { error: "Busy.", unreachable: "true" }],
    [429, { error: "Busy.", unreachable: true }],
    [500, { error: "Busy.", unreachable: true }],
  ])("%i with %j is rejected, not unreachable", async (status, body) => {
    mockJsonResponse(status, body);
    expect(await send()).toMatchObject({ kind: "rejected", error: "Busy." });
  });

  it.each([
    [200, "<p>Welcome</p>"],
    [200, ""],
    [200, '{"redirectUrl":'],
    [200, "[]"],
    [200, "null"],
    [200, '"ok"'],
    [500, "<h1>Internal error</h1>"],
    [502, "<h1>Bad gateway</h1>"],
  ])("%i with the body '%s' is rejected with the generic error", async (status, body) => {
    mockFetch(() => Promise.resolve(new Response(body, { status })));
    expect(await send()).toEqual({ kind: "rejected", error: FAILED });
  });

  it("a truncated body is rejected, because the gateway responded", async () => {
    const response = new Response("{}");
    vi.spyOn(response, "text").mockRejectedValue(new TypeError("terminated"));
    mockFetch(() => Promise.resolve(response));
    expect(await send()).toEqual({ kind: "rejected", error: FAILED });
  });
});

describe("no response", () => {
  it("a failed request is unreachable", async () => {
    mockFetch(() => Promise.reject(new TypeError("Failed to fetch")));
    expect(await send()).toEqual({ kind: "unreachable", cause: "no response" });
  });

  it("a request that takes 20 seconds is unreachable", async () => {
    vi.useFakeTimers();
    const fetchMock = mockPendingResponse();
    const outcome = send();
    await vi.advanceTimersByTimeAsync(19_999);
    expect(fetchMock.mock.calls[0]?.[1]?.signal?.aborted).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(await outcome).toEqual({ kind: "unreachable", cause: "timeout" });
  });

  it("a body that times out is unreachable", async () => {
    vi.useFakeTimers();
    const response = new Response("{}");
    mockFetch(({ signal }) => {
      vi.spyOn(response, "text").mockImplementation(
        () =>
          new Promise((_, reject) => {
            signal?.addEventListener("abort", reject);
          }),
      );
      return Promise.resolve(response);
    });
    const outcome = send();
    await vi.advanceTimersByTimeAsync(TIMEOUT_MS);
    expect(await outcome).toEqual({ kind: "unreachable", cause: "timeout" });
  });

  it("an aborted request is canceled", async () => {
    mockPendingResponse();
    const cancel = new AbortController();
    const outcome = sendSignup(FIELDS, cancel.signal);
    cancel.abort();
    expect(await outcome).toEqual({ kind: "canceled" });
  });

  it("a response clears the timer", async () => {
    vi.useFakeTimers();
    mockJsonResponse(200, {});
    await send();
    expect(vi.getTimerCount()).toBe(0);
  });
});
