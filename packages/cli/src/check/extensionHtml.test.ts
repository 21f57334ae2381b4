import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";

import { extensionHtmlProblem } from "./extensionHtml.js";

const TABLE = JSON.parse(
  readFileSync(path.join(import.meta.dirname, "../../../../tests/tables/extension-html.json"), "utf8"),
) as [html: string, problem: string | null][];

test.each(TABLE)("%s", (html, problem) => {
  expect(extensionHtmlProblem(html)).toBe(problem);
});

test("nests at most 512 elements", () => {
  const nested = (depth: number): string => "<i>".repeat(depth) + "</i>".repeat(depth);
  expect(extensionHtmlProblem(nested(512))).toBeNull();
  expect(extensionHtmlProblem(nested(513))).toBe("has `<i>` within 512 elements; expected at most 511");
});
