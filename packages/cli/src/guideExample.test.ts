// @vitest-environment happy-dom
// The example in docs/write-a-section.md is packages/cli/fixtures/hello. build/build.test.ts builds it.
import { readFileSync } from "node:fs";
import path from "node:path";

import { expect, test } from "vitest";

const HELLO = path.resolve(import.meta.dirname, "../fixtures/hello");
const GUIDE = path.resolve(import.meta.dirname, "../../../docs/write-a-section.md");

const blocks = [...readFileSync(GUIDE, "utf8").matchAll(/^```\w+ ([^\s[]+)\n(.*?)^```$/gms)].map(
  ([, file = "", text = ""]) => ({
    file,
    text,
  }),
);

test("the guide includes the example's main files", () => {
  expect(blocks.map(({ file }) => file)).toEqual(
    expect.arrayContaining(["package.json", "section.config.js", "src/section.ts", "src/pages/greeting.tsx"]),
  );
});

test.each(blocks)("the guide quotes $file verbatim", ({ file, text }) => {
  expect(text).toBe(readFileSync(path.join(HELLO, file), "utf8"));
});

// The example's own tests.
await import(/* @vite-ignore */ path.join(HELLO, "src/section.test.tsx"));
