import { expect, test, vi } from "vitest";

import { completedSignIn } from "./signInWith.js";

// A test of the site signs in at a real identity provider.
test("a code without an attempt is taken out of the address", () => {
  history.replaceState(null, "", "/console?code=secret&state=abc");
  expect(completedSignIn()).toBeUndefined();
  expect(location.pathname + location.search).toBe("/console");
});

test("a code is redeemed at the provider of its page", () => {
  const requested = vi.spyOn(globalThis, "fetch").mockReturnValue(new Promise(() => undefined));
  sessionStorage.setItem("colonnade-console-sign-in", "/console/history?before=7");
  history.replaceState(null, "", "/console/sign-in/acme?code=secret&state=abc");
  void completedSignIn();
  expect(location.pathname + location.search).toBe("/console/history?before=7");
  const [url, init] = requested.mock.calls[0] ?? [];
  expect(url).toBe("/api/v1/sign-in/complete");
  const redirectUri = `${location.origin}/console/sign-in/acme`;
  expect(init?.body).toBe(JSON.stringify({ provider: "acme", redirectUri, code: "secret", state: "abc" }));
});
