import { expect, test } from "vitest";

import type { ContentPolicy } from "../build/policy.js";
import { widenedPolicy } from "./policy.js";

const STRICT = "default-src 'none'; style-src 'self' 'sha256-a'; img-src 'self'; connect-src 'self'";
const TYPES = "require-trusted-types-for 'script'; trusted-types default";

test.each<[ContentPolicy, string]>([
  [{}, `${STRICT}; ${TYPES}`],
  [{ images: ["a.example"] }, `${STRICT.replace("img-src 'self'", "img-src 'self' https://a.example")}; ${TYPES}`],
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
  [{ trustedTypes: "report" }, STRICT],
])("a document has what %j asks for", (policy, expected) => {
  expect(widenedPolicy(`${STRICT}; ${TYPES}`, [policy, {}])).toBe(expected);
});
