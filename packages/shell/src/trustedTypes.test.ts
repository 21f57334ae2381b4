// @vitest-environment happy-dom
import { expect, test, vi } from "vitest";

import { allowScriptUrl, installTrustedTypesPolicy } from "./trustedTypes.js";

test.each(["/assets/shell/1.0.0/main.js", `${location.origin}/assets/legal/1.0.0/entry.js`, "/assets/./x.js"])(
  "%s is a release file",
  (url) => {
    expect(allowScriptUrl(url)).toBe(url);
  },
);

test.each([
  "https://elsewhere.example/assets/shell/1.0.0/main.js",
  "//elsewhere.example/assets/x.js",
  "/\\elsewhere.example/assets/x.js",
  "/assets",
  "/go/example",
  "/assets/../go/example",
  "/assets/%2e%2e/go/example",
  "/_page/1?path=/assets/",
  "data:text/javascript,1",
  "javascript:1",
  `blob:${location.origin}/assets/`,
  "http://",
  "",
])("%j is blocked", (url) => {
  expect(allowScriptUrl(url)).toBeNull();
});

test("the policy has no rule for HTML or script text", () => {
  const createPolicy = vi.fn();
  installTrustedTypesPolicy({ trustedTypes: { createPolicy } });
  expect(createPolicy).toHaveBeenCalledExactlyOnceWith("default", { createScriptURL: allowScriptUrl });
});

test.each([
  ["nothing", {}],
  ["an element with the ID", Object.create({ trustedTypes: document.createElement("p") }) as object],
])("a browser without Trusted Types needs no policy: the window has %s", (_, window) => {
  expect(() => {
    installTrustedTypesPolicy(window);
  }).not.toThrow();
});
