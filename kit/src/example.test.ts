// @vitest-environment happy-dom
// The example of docs/write-a-section.md is kit/fixtures/hello, which build/build.test.ts builds.
import { readFileSync } from "node:fs";
import path from "node:path";

import { expect, test } from "vitest";

const HELLO = path.resolve(import.meta.dirname, "../fixtures/hello");
const GUIDE = path.resolve(import.meta.dirname, "../../docs/write-a-section.md");

const blocks = [...readFileSync(GUIDE, "utf8").matchAll(/^```\w+ (\S+)\n(.*?)^```$/gms)].map(
  ([, file = "", text = ""]) => ({
    file,
    text,
  }),
);

test("the guide shows the example's main files", () => {
  expect(blocks.map(({ file }) => file)).toEqual(
    expect.arrayContaining(["package.json", "section.config.js", "src/section.ts", "src/pages/greeting.tsx"]),
  );
});

test.each(blocks)("the guide shows $file as it is", ({ file, text }) => {
  expect(text).toBe(readFileSync(path.join(HELLO, file), "utf8"));
});

// Its own tests, as a team would run them.
await import(/* @vite-ignore */ path.join(HELLO, "src/section.test.tsx"));
