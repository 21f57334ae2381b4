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

describe("the rules of honesty", () => {
  test("are eight, each with its code and its tests", () => {
    const rules = text.split(/^## /m).slice(1);
    expect(rules).toHaveLength(8);
    for (const rule of rules) {
      expect(rule).toMatch(/^- Kept by /m);
      expect(rule).toMatch(/^- \[.*\]\(.*(\.test\.tsx?|gateway\/tests\/\w+\.rs)\)$/m);
    }
  });

  test.each(links)("$target exists", ({ target }) => {
    expect(existsSync(path.join(DOCS, target))).toBe(true);
  });

  test.each(links.filter(isTest))("$target has the test '$label'", ({ label, target }) => {
    const quoted = label.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
    // At the start of its line, so that one that is commented out or skipped does not count.
    const declared = new RegExp(
      `^\\s*(?:(?:test|it)(?:\\.describe)?\\(\\s*["\`'](?:.*?: )?${quoted}|(?:async )?fn ${quoted}\\()`,
      "m",
    );
    expect(readFileSync(path.join(DOCS, target), "utf8")).toMatch(declared);
  });
});
