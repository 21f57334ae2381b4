import { readdir, readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";

import { describe, expect, test } from "vitest";

import routerLoader from "./router-loader.js";

const load = (source: string, hasDataRouter = true): string =>
  routerLoader.call({ getOptions: () => ({ hasDataRouter }) }, source);

describe("React Router's components", () => {
  test("are created by calls marked as pure", () => {
    expect(load("var Link = React10.forwardRef(\n  function Link() {}\n);\n")).toBe(
      "var Link = /* @__PURE__ */ React10.forwardRef(\n  function Link() {}\n);\n",
    );
    expect(load("var Known = React.createContext(null);")).toBe(
      "var Known = /* @__PURE__ */ React.createContext(null);",
    );
  });

  test("keep no values of the data router that only a call creates", () => {
    for (const value of [
      "new Set(methods)",
      "new WeakMap()",
      'Symbol("reset")',
      "Object.getOwnPropertyNames(known).sort()",
    ]) {
      expect(load(`var known = ${value};`)).toBe(`var known = /* @__PURE__ */ ${value};`);
      expect(load(`_known = ${value};`)).toBe(`_known = /* @__PURE__ */ ${value};`);
    }
    expect(load("var useOptimisticImpl = React3[USE_OPTIMISTIC];")).toBe(
      "var useOptimisticImpl = React3.useOptimistic;",
    );
  });

  test("lose their display names", () => {
    expect(load('var a = 1;\nLink.displayName = "Link";\nvar b = 2;')).toBe("var a = 1;\n\nvar b = 2;");
  });

  test("are created with their context by a pure call", () => {
    const source =
      "var Boundary = class extends React.Component {\n  a;\n};\nvar b = 2;\nBoundary.contextType = Known;\n";
    expect(load(source)).toBe(
      "var Boundary = /* @__PURE__ */ (() => Object.assign(class extends React.Component {\n  a;\n}, { contextType: Known }))();\n" +
        "var b = 2;\n\n",
    );
  });

  test("keep other assignments and calls", () => {
    const source =
      "var Other = class extends React.Component {\n  a;\n};\nvar size = measure(React);\n  Link.displayName = name;\n";
    expect(load(source)).toBe(source);
  });

  test("navigate without a data router unless a section may have one", () => {
    const source = "  return isDataRoute ? useNavigateStable() : useNavigateUnstable();\n";
    expect(load(source, false)).toBe("  return useNavigateUnstable();\n");
    expect(load(source, true)).toBe(source);
  });

  // Fails if a new version of React Router changes its code style, before the size budget does.
  test("are all found in the installed version", async () => {
    const folder = path.join(
      path.dirname(createRequire(import.meta.url).resolve("react-router/package.json")),
      "dist/development",
    );
    const chunks = (await readdir(folder)).filter((file) => /^chunk-\w+\.mjs$/.test(file));
    const sources = await Promise.all(chunks.map((file) => readFile(path.join(folder, file), "utf8")));
    const source = sources.join("\n");
    expect(source).toContain("var NavLink = React");
    expect(source).toContain(".displayName =");
    expect(source).toContain(".contextType =");
    expect(source).toContain("return isDataRoute ? useNavigateStable() : useNavigateUnstable();");
    const loaded = load(source);
    expect(loaded).toContain("var NavLink = /* @__PURE__ */ React");
    expect(loaded).not.toMatch(/^\w+\.(displayName|contextType) =/m);
    expect(loaded).toMatch(/Object\.assign\(class .*^\}, \{ contextType: \w+ \}\)/ms);
    expect(loaded.match(/^var \w+ = React\d*(?:\.\w+\(|\[USE_OPTIMISTIC)/gm) ?? []).toEqual([]);
  });
});
