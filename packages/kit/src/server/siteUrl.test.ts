import { readFileSync } from "node:fs";
import path from "node:path";

import { expect, test } from "vitest";

import { isSiteUrl } from "./siteUrl.js";

// The test of `site_url.rs` reads the same table.
const TABLE = path.resolve(import.meta.dirname, "../../../../tests/tables/site-urls.json");
const siteUrls = JSON.parse(readFileSync(TABLE, "utf8")) as readonly {
  readonly text: string;
  readonly rule: string | null;
}[];

test.each(siteUrls)("$text, rule: $rule", ({ text, rule }) => {
  expect(isSiteUrl(text)).toBe(rule === null);
});

test("URL has at most 2048 bytes", () => {
  expect(isSiteUrl(`/${"a".repeat(2047)}`)).toBe(true);
  expect(isSiteUrl(`/${"a".repeat(2048)}`)).toBe(false);
});
