import { existsSync, readFileSync } from "node:fs";
import path from "node:path";

import { describe, expect, test } from "vitest";

const DOCS = path.resolve(import.meta.dirname, "../../docs");
const text = readFileSync(path.join(DOCS, "conduct.md"), "utf8");
const links = [...text.matchAll(/\[([^\]]+)\]\((\.\.\/[^)]+)\)/g)].map(([, label = "", target = ""]) => ({
  label,
  target,
}));
const isTest = ({ target = "" }) => /\.test\.tsx?$|^\.\.\/gateway\/tests\//.test(target);

describe("docs/conduct.md", () => {
  test("has eight rules, each with code and tests", () => {
    const rules = text.split(/^## /m).slice(1);
    expect(rules).toHaveLength(8);
    for (const rule of rules) {
      expect(rule).toMatch(/^- Enforced by /m);
      expect(rule).toMatch(/^- \[.*\]\(.*(\.test\.tsx?|gateway\/tests\/\w+\.rs)\)$/m);
    }
  });

  test.each(links)("links to an existing file: $target", ({ target }) => {
    expect(existsSync(path.join(DOCS, target))).toBe(true);
  });

  test.each(links.filter(isTest))("names an existing test: '$label' in $target", ({ label, target }) => {
    const escaped = label.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
    // Matches only at the start of a line, which excludes commented-out and skipped tests.
    const declaration = new RegExp(
      `^\\s*(?:(?:(?:test|it)(?:\\.describe)?|(?:it\\.each.*|\\](?: as const)?)\\))\\(\\s*["\`'](?:.*?: )?${escaped}|(?:async )?fn ${escaped}\\()`,
      "m",
    );
    expect(readFileSync(path.join(DOCS, target), "utf8")).toMatch(declaration);
  });
});
