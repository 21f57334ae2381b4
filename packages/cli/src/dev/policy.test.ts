import { expect, test } from "vitest";

import type { ContentPolicy } from "../build/policy.js";
import type { Permission } from "../check/permission.js";
import { DENIED_FEATURES, permissionOfViolation, permittedFeatures, widenedPolicy } from "./policy.js";

const STRICT = "default-src 'none'; style-src 'self' 'sha256-a'; img-src 'self'; connect-src 'self'";
const TYPES = "require-trusted-types-for 'script'; trusted-types default";

test.each<[ContentPolicy, string]>([
  [{}, `${STRICT}; ${TYPES}`],
  [
    { images: ["a.example", "blob:"] },
    `${STRICT.replace("img-src 'self'", "img-src 'self' https://a.example blob:")}; ${TYPES}`,
  ],
  [
    { connections: ["a.b", "localhost:1"] },
    `${STRICT} https://a.b wss://a.b http://localhost:1 ws://localhost:1; ${TYPES}`,
  ],
  [{ frames: ["a.b"] }, `${STRICT}; ${TYPES}; frame-src https://a.b`],
  [{ styleElements: ["sha256-b"] }, `${STRICT.replace("'sha256-a'", "'sha256-a' 'sha256-b'")}; ${TYPES}`],
  [{ styleElements: true }, `${STRICT}; ${TYPES}; style-src-elem 'self' 'unsafe-inline'`],
  [
    { styleAttributes: true, workers: true },
    `${STRICT}; ${TYPES}; style-src-attr 'unsafe-inline'; worker-src 'self' blob:`,
  ],
])("a document has what %j asks for", (policy, expected) => {
  expect(widenedPolicy(`${STRICT}; ${TYPES}`, [policy, {}])).toEqual({ "content-security-policy": expected });
});

test("a document whose Trusted Types are reported has a policy that blocks nothing", () => {
  expect(widenedPolicy(`${STRICT}; ${TYPES}`, [{ trustedTypes: "report" }, {}])).toEqual({
    "content-security-policy": STRICT,
    "content-security-policy-report-only": TYPES,
  });
});

test("a document has the features that its sections ask for", () => {
  const policies: ContentPolicy[] = [{ features: ["camera"] }, {}, { features: ["usb"] }];
  const permitted = permittedFeatures(DENIED_FEATURES, policies);
  expect(permitted).toBe(DENIED_FEATURES.replace("camera=()", "camera=(self)").replace("usb=()", "usb=(self)"));
  expect(permittedFeatures(permitted, [])).toBe(permitted);
});

test.each<[string, string, Permission | undefined]>([
  ["connect-src", "https://o1.ingest.sentry.io/api/1/envelope/", { key: "connections", value: "o1.ingest.sentry.io" }],
  ["connect-src", "wss://a.example:8443/live", { key: "connections", value: "a.example:8443" }],
  ["img-src", "https://a.example/a.png", { key: "images", value: "a.example" }],
  ["font-src", "https://a.example/a.woff2", { key: "fonts", value: "a.example" }],
  ["frame-src", "http://localhost:3000/", { key: "frames", value: "localhost:3000" }],
  ["media-src", "https://a.example/a.mp4", { key: "media", value: "a.example" }],
  ["style-src-attr", "inline", { key: "styleAttributes" }],
  ["style-src-elem", "inline", { key: "styleElements" }],
  ["worker-src", "blob", { key: "workers" }],
  ["trusted-types", "trusted-types-policy", { key: "trustedTypes" }],
  ["connect-src", "http://a.example/", undefined],
  ["img-src", "blob", { key: "images", value: "blob:" }],
  ["img-src", "data", { key: "images", value: "data:" }],
  ["media-src", "blob", { key: "media", value: "blob:" }],
  ["font-src", "data", { key: "fonts", value: "data:" }],
  ["font-src", "blob", undefined],
  ["connect-src", "data", undefined],
  ["frame-src", "blob", undefined],
  ["script-src-elem", "https://a.example/a.js", undefined],
  ["permissions-policy", "geolocation", { key: "features", value: "geolocation" }],
  ["permissions-policy", "clipboard-read", undefined],
])("what %s blocks (%s) has a permission, if any", (directive, blocked, permission) => {
  expect(permissionOfViolation(directive, blocked)).toEqual(permission);
});
