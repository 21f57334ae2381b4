import { expect, test } from "vitest";

import { formatProblem, frameOf } from "./formatProblem.js";

const GUIDE = "http://localhost:5173/errors";

test("frame marks the column and has two lines on each side", () => {
  const text = Array.from({ length: 12 }, (_, index) => `line ${String(index + 1)}`).join("\n");
  expect(frameOf(text, 9, 6)).toBe(
    ["   7 | line 7", "   8 | line 8", ">  9 | line 9", "     |      ^", "  10 | line 10", "  11 | line 11"].join("\n"),
  );
});

test("frame aligns the mark below tabs", () => {
  expect(frameOf("\tfail()", 1, 2)).toBe("> 1 | \tfail()\n    | \t^");
});

test("frame of the last line has no lines after it", () => {
  expect(frameOf("one\r\ntwo", 2, 1)).toBe("  1 | one\n> 2 | two\n    | ^");
});

test("a problem names section, location, rule, help and guide", () => {
  const problem = { kind: "purity", section: "hello", code: "COL102", message: "used Math.random()" } as const;
  expect(formatProblem({ ...problem, help: "Derive it.", location: "src/a.tsx:1:2", frame: "> 1 | a" }, GUIDE)).toBe(
    [
      "hello: purity error at src/a.tsx:1:2",
      "COL102 used Math.random()",
      "> 1 | a",
      "Derive it.",
      "About COL102: http://localhost:5173/errors#COL102",
    ].join("\n"),
  );
});
