import { readFileSync } from "node:fs";
import path from "node:path";

import { describe, expect, test } from "vitest";

import { comparePatterns, isPagePath, isSitePath, matchPath, pathTo, type Params } from "./paths.js";

/** Test cases shared with the gateway's matcher. */
interface Table {
  readonly match: readonly {
    readonly name: string;
    readonly patterns: readonly string[];
    readonly path: string;
    readonly expect: { readonly pattern: string; readonly params: Params } | null;
  }[];
  readonly reserved: readonly { readonly path: string; readonly reserved: boolean }[];
  readonly sitePaths: readonly { readonly text: string; readonly valid: boolean }[];
}

const TABLE = path.resolve(import.meta.dirname, "../../../tests/tables/paths.json");

function readTable(): Table {
  return JSON.parse(readFileSync(TABLE, "utf8")) as Table;
}

function findMatch(patterns: readonly string[], path: string): Table["match"][number]["expect"] {
  for (const pattern of patterns.toSorted(comparePatterns)) {
    const params = matchPath(pattern, path);
    if (params) return { pattern, params };
  }
  return null;
}

describe("the table shared with the gateway", () => {
  const { match } = readTable();
  test.each(match)("$name", ({ patterns, path, expect: expected }) => {
    expect(findMatch(patterns, path)).toEqual(expected);
  });
});

describe("comparePatterns", () => {
  test("static segments precede params, from left to right", () => {
    const patterns = ["/:a/:b", "/:a/x", "/city/:b", "/city/x"];
    expect(patterns.toSorted(comparePatterns)).toEqual(["/city/x", "/city/:b", "/:a/x", "/:a/:b"]);
  });

  test("an earlier static segment precedes a later one", () => {
    expect(comparePatterns("/city/:b/:c", "/:a/x/y")).toBeLessThan(0);
    expect(comparePatterns("/:a/x/y", "/city/:b/:c")).toBeGreaterThan(0);
  });

  test("param names do not matter", () => {
    expect(comparePatterns("/state/:state", "/state/:name")).toBe(0);
  });
});

describe("isPagePath", () => {
  const { reserved } = readTable();
  test.each(reserved)("$path, reserved: $reserved", ({ path, reserved }) => {
    expect(isPagePath(path)).toBe(!reserved);
  });

  test.each(["/%", "/%2F", "/%2e%2e/a"])("%s is not a page path", (path) => {
    expect(isPagePath(path)).toBe(false);
  });
});

describe("isSitePath", () => {
  const { sitePaths } = readTable();
  test.each(sitePaths)("$text, valid: $valid", ({ text, valid }) => {
    expect(isSitePath(text)).toBe(valid);
    if (valid) expect(new URL(`https://site.example${text}`).origin).toBe("https://site.example");
  });
});

describe("pathTo", () => {
  test("pathTo inserts params percent-encoded", () => {
    expect(pathTo("/city/:state/:city", { state: "New Mexico", city: "Española" })).toBe(
      "/city/New%20Mexico/Espa%C3%B1ola",
    );
  });

  test("pathTo returns a pattern without params unchanged", () => {
    expect(pathTo("/about")).toBe("/about");
    expect(pathTo("/")).toBe("/");
  });

  test.each(["100%", "a?b", "a#b", "a+b", "a&b=c", "a;b", "é", "日本", "…", "a.b", "...", " ", ":x"])(
    "the param %j round-trips through matchPath",
    (value) => {
      const filled = pathTo("/x/:value", { value });
      expect(matchPath("/x/:value", filled)).toEqual({ value });
      expect(new URL(filled, "https://site.example").pathname).toBe(filled);
    },
  );

  test.each([{}, { city: "" }])("pathTo rejects a missing or empty param: %j", (params) => {
    expect(() => pathTo("/city/:city", params)).toThrow('pathTo("/city/:city"): param "city" is missing or empty');
  });

  test.each(["a/b", "a\0b", ".", ".."])("pathTo rejects a value not allowed in a path segment: %j", (value) => {
    expect(() => pathTo("/city/:city", { city: value })).toThrow(
      `pathTo("/city/:city"): param "city" is ${JSON.stringify(value)}; it cannot contain "/" or NUL, or be "." or ".."`,
    );
  });
});
