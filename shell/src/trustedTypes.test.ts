// @vitest-environment happy-dom
import { expect, test, vi } from "vitest";

import { admitScript, guardScripts } from "./trustedTypes";

test.each(["/assets/shell/1.0.0/main.js", `${location.origin}/assets/legal/1.0.0/entry.js`, "/assets/./x.js"])(
  "%s is a file of a release",
  (url) => {
    expect(admitScript(url)).toBe(url);
  },
);

test.each([
  "https://elsewhere.example/assets/shell/1.0.0/main.js",
  "//elsewhere.example/assets/x.js",
  "/\\elsewhere.example/assets/x.js",
  "/assets",
  "/go/partner",
  "/assets/../go/partner",
  "/assets/%2e%2e/go/partner",
  "/_page/1?path=/assets/",
  "data:text/javascript,1",
  "javascript:1",
  `blob:${location.origin}/assets/`,
  "http://",
  "",
])("%j is none", (url) => {
  expect(admitScript(url)).toBeNull();
});

test("the policy makes no HTML and no scripts", () => {
  const createPolicy = vi.fn();
  guardScripts({ createPolicy });
  expect(createPolicy).toHaveBeenCalledExactlyOnceWith("default", { createScriptURL: admitScript });
});

test("a browser without Trusted Types needs none", () => {
  expect(() => {
    guardScripts(undefined);
  }).not.toThrow();
});
