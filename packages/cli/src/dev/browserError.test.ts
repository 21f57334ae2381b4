import { expect, test } from "vitest";

import { locateBrowserError, parseBrowserError, type BrowserError } from "./browserError.js";

const ERROR: BrowserError = { kind: "policy", message: "blocked", stack: "", path: "/hello" };

test.each([
  [
    { ...ERROR, violation: ["connect-src", "https://o1.ingest.sentry.io/api/"] as const },
    'policy: { connections: ["o1.ingest.sentry.io"] } in section.config.js, and connections = ["o1.ingest.sentry.io"] in [policy.sections.hello]',
  ],
  [
    { ...ERROR, kind: "runtime", message: "This document requires 'TrustedHTML' assignment." } as const,
    'policy: { trustedTypes: "report" } in section.config.js, and trusted_types = "report" in [policy.sections.hello]',
  ],
])("what the policy blocks in a package is reported with the settings of the page's section", async (error, lines) => {
  expect(parseBrowserError(JSON.stringify(error))).toEqual(error);
  const help = `If the operator permits it: ${lines} of site.toml.`;
  expect(await locateBrowserError(new Map(), error, "hello")).toMatchObject({ section: "browser", help });
});

test.each([[["connect-src", "https://a.example", 1]], ["connect-src"]])(
  "the violation %j is no report",
  (violation) => {
    expect(parseBrowserError(JSON.stringify({ ...ERROR, violation }))).toBeUndefined();
  },
);
