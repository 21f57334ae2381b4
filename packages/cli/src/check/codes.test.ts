import { readFileSync } from "node:fs";
import path from "node:path";

import { expect, test } from "vitest";

import { PROBLEM_KINDS } from "./codes.js";
import {
  MAX_EXAMPLE_BYTES,
  MAX_EXAMPLES_FILE,
  MAX_EXAMPLES,
  MAX_EXTENSION_BYTES,
  MAX_EXTENSIONS,
  MAX_PAGE_BYTES,
  MAX_PATHS,
  MAX_SEGMENTS,
  MAX_SHOWN,
} from "./limits.js";

const ROOT = path.resolve(import.meta.dirname, "../../../..");

test("docs/errors.md describes every code", () => {
  const guide = readFileSync(path.join(ROOT, "docs/errors.md"), "utf8");
  const headings = [...guide.matchAll(/^## (COL\d+): (.+)$/gm)].map(([, code, title]) => [code, title]);
  expect(headings).toEqual(Object.entries(PROBLEM_KINDS).map(([code, { title }]) => [code, title]));
});

test("the package's copy of docs/errors.md has no links to other pages", () => {
  const copy = readFileSync(path.join(ROOT, "packages/cli/dist/check/errors.md"), "utf8");
  const targets = [...copy.matchAll(/\]\(([^)]*)\)/g)].map(([, target]) => target);
  expect(targets).toEqual(["https://dequeuniversity.com/rules/axe/"]);
});

test.each([
  ["MAX_PAGE_BYTES", MAX_PAGE_BYTES],
  ["MAX_EXTENSION_BYTES", MAX_EXTENSION_BYTES],
])("the check has the gateway's %s", (name, value) => {
  const job = readFileSync(path.join(ROOT, "gateway/crates/render/src/job.rs"), "utf8");
  const [, factors = ""] = new RegExp(`${name}: usize = ([\\d *]+);`).exec(job) ?? [];
  expect(factors.split("*").reduce((product, factor) => product * Number(factor), 1)).toBe(value);
});

test.each([
  ["MAX_PATHS", MAX_PATHS, `at most ${MAX_PATHS.toLocaleString("en")} paths`],
  ["MAX_SEGMENTS", MAX_SEGMENTS, `at most ${String(MAX_SEGMENTS)} segments`],
  ["MAX_EXTENSIONS", MAX_EXTENSIONS, `A release has at most ${String(MAX_EXTENSIONS)}`],
  ["MAX_SHOWN", MAX_SHOWN, `an integer from 1 to ${String(MAX_SHOWN)}`],
  ["MAX_EXAMPLES", MAX_EXAMPLES, `1 to ${String(MAX_EXAMPLES)} objects`],
  ["MAX_EXAMPLES_FILE", MAX_EXAMPLES_FILE / 1024, "of at most 1 MiB"],
  ["MAX_EXAMPLE_BYTES", MAX_EXAMPLE_BYTES / 1024, `at most ${String(MAX_EXAMPLE_BYTES / 1024)} KiB of JSON`],
])("the check has the gateway's %s, which the specification states", (name, value, statement) => {
  const files = ["release/mod.rs", "release/validate/extensions.rs", "release/examples.rs", "pattern/mod.rs"];
  const sources = files.map((file) => path.join(ROOT, "gateway/crates/model/src", file));
  const release = sources.map((file) => readFileSync(file, "utf8")).join("\n");
  // `64 << 10` is in KiB.
  const [, limit = ""] = new RegExp(`${name}: (?:usize|u8|u64) = ([\\d_]+)(?: << 10)?;`).exec(release) ?? [];
  expect(Number(limit.replaceAll("_", ""))).toBe(value);
  const specification = readFileSync(path.join(ROOT, "docs/spec/release.md"), "utf8");
  expect(specification).toContain(statement);
});

test("the check has the globals of the gateway's sandbox", () => {
  const original = path.join(ROOT, "gateway/crates/render/src/worker/globals.js");
  const copy = path.join(ROOT, "packages/cli/dist/check/globals.js");
  expect(readFileSync(copy, "utf8")).toBe(readFileSync(original, "utf8"));
});
