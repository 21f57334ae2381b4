// @vitest-environment happy-dom
import { expect, test, vi } from "vitest";

import { allowScriptUrl, allowText, installTrustedTypesPolicy } from "./trustedTypes.js";

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

test.each([
  [`blob:${location.origin}/1`, "Worker constructor", true],
  [`blob:${location.origin}/1`, "SharedWorker constructor", true],
  [`blob:${location.origin}/1`, "HTMLScriptElement src", false],
  ["blob:https://elsewhere.example/1", "Worker constructor", false],
  ["data:text/javascript,1", "Worker constructor", false],
  ["/elsewhere.js", "Worker constructor", false],
])("%s at the sink %s is allowed: %s", (url, sink, isAllowed) => {
  expect(allowScriptUrl(url, "TrustedScriptURL", sink)).toBe(isAllowed ? url : null);
});

test.each([".a > b { color: red }", "@media (width <= 600px) and (600px > width < 9em) {}", "a && b &lt; c", "", "<"])(
  "%j is only text",
  (text) => {
    expect(allowText(text, "TrustedHTML", "Element innerHTML")).toBe(text);
    for (const sink of ["Document write", "Element insertAdjacentHTML", "HTMLIFrameElement srcdoc"])
      expect(allowText(text, "TrustedHTML", sink)).toBeNull();
  },
);

test.each(["<b>", "a{}</style><b>", "<!--", "<?x", "x<SVG onload=1>", "<img"])("%j is markup", (text) => {
  expect(allowText(text, "TrustedHTML", "Element innerHTML")).toBeNull();
});

test("the policy has no rule for script text", () => {
  const createPolicy = vi.fn();
  installTrustedTypesPolicy({ trustedTypes: { createPolicy } });
  const rules = { createHTML: allowText, createScriptURL: allowScriptUrl };
  expect(createPolicy).toHaveBeenCalledExactlyOnceWith("default", rules);
});

test.each([
  ["nothing", {}],
  ["an element with the ID", Object.create({ trustedTypes: document.createElement("p") }) as object],
])("a browser without Trusted Types needs no policy: the window has %s", (_, window) => {
  expect(() => {
    installTrustedTypesPolicy(window);
  }).not.toThrow();
});
