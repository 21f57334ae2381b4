import { describe, expect, it, vi } from "vitest";

import { answerJson, answerNever, answerWith } from "../testing/signup";
import { DEADLINE_MS, sendSignup, type Outcome } from "./send";

const FIELDS = { email: "a@example.com", password: "secret", age: 34 };
const FAILED = "Signup failed. Please try again.";

function send(): Promise<Outcome> {
  return sendSignup(FIELDS, new AbortController().signal);
}

describe("the request", () => {
  it("posts the three fields as JSON to the site's own origin and follows no redirect", async () => {
    const fetching = answerJson(200, {});
    await send();
    const [address, init] = fetching.mock.calls[0] ?? [];
    expect(address).toBe("/functions/v1/signup");
    expect(init).toMatchObject({ method: "POST", credentials: "same-origin", redirect: "manual", cache: "no-store" });
    expect(JSON.parse(init?.body as string)).toStrictEqual(FIELDS);
  });
});

describe("the outcome of an answer", () => {
  it.each([200, 201])("%i with an object is a success", async (status) => {
    answerJson(status, { redirectUrl: "/terms" });
    expect(await send()).toEqual({ kind: "created", redirectUrl: "/terms" });
  });

  it.each([409, 422, 429, 500])("%i with an error is refused in its words", async (status) => {
    answerJson(status, { error: "Not this one." });
    expect(await send()).toEqual({ kind: "refused", error: "Not this one." });
  });

  it.each([{}, { error: "" }, { error: "  " }, { error: 5 }, { error: null }])(
    "an error of %j is refused in the usual words",
    async (body) => {
      answerJson(500, body);
      expect(await send()).toEqual({ kind: "refused", error: FAILED });
    },
  );

  it.each([502, 503, 504])("%i that says so is out of reach", async (status) => {
    answerJson(status, { error: "Down.", unreachable: true });
    expect(await send()).toEqual({ kind: "unreachable", cause: `HTTP ${String(status)}` });
  });

  it.each([
    [503, { error: "Busy." }],
    [503, { error: "Busy.", unreachable: "true" }],
    [429, { error: "Busy.", unreachable: true }],
    [500, { error: "Busy.", unreachable: true }],
  ])("%i with %j is refused, not out of reach", async (status, body) => {
    answerJson(status, body);
    expect(await send()).toEqual({ kind: "refused", error: "Busy." });
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
  ])("%i with the body '%s' is refused in the usual words", async (status, body) => {
    answerWith(() => Promise.resolve(new Response(body, { status })));
    expect(await send()).toEqual({ kind: "refused", error: FAILED });
  });

  it("a body that breaks off is refused: somebody did answer", async () => {
    const response = new Response("{}");
    vi.spyOn(response, "text").mockRejectedValue(new TypeError("terminated"));
    answerWith(() => Promise.resolve(response));
    expect(await send()).toEqual({ kind: "refused", error: FAILED });
  });
});

describe("no answer", () => {
  it("a request that fails is out of reach", async () => {
    answerWith(() => Promise.reject(new TypeError("Failed to fetch")));
    expect(await send()).toEqual({ kind: "unreachable", cause: "no answer" });
  });

  it("a request beyond the deadline is out of reach", async () => {
    vi.useFakeTimers();
    answerNever();
    const outcome = send();
    await vi.advanceTimersByTimeAsync(DEADLINE_MS);
    expect(await outcome).toEqual({ kind: "unreachable", cause: "no answer in time" });
  });

  it("a body beyond the deadline is out of reach", async () => {
    vi.useFakeTimers();
    const response = new Response("{}");
    answerWith(({ signal }) => {
      vi.spyOn(response, "text").mockImplementation(
        () =>
          new Promise((_, reject) => {
            signal?.addEventListener("abort", reject);
          }),
      );
      return Promise.resolve(response);
    });
    const outcome = send();
    await vi.advanceTimersByTimeAsync(DEADLINE_MS);
    expect(await outcome).toEqual({ kind: "unreachable", cause: "no answer in time" });
  });

  it("a request that was given up is neither failed nor out of reach", async () => {
    answerNever();
    const cancel = new AbortController();
    const outcome = sendSignup(FIELDS, cancel.signal);
    cancel.abort();
    expect(await outcome).toEqual({ kind: "cancelled" });
  });

  it("an answer leaves no timer behind", async () => {
    vi.useFakeTimers();
    answerJson(200, {});
    await send();
    expect(vi.getTimerCount()).toBe(0);
  });
});
