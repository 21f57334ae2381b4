import { readdir, readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";

import { describe, expect, test } from "vitest";

import routerLoader from "./router-loader.js";

describe("React Router's components", () => {
  test("are made by calls that are dropped with what they make", () => {
    expect(routerLoader("var Link = React10.forwardRef(\n  function Link() {}\n);\n")).toBe(
      "var Link = /* @__PURE__ */ React10.forwardRef(\n  function Link() {}\n);\n",
    );
    expect(routerLoader("var Known = React.createContext(null);")).toBe(
      "var Known = /* @__PURE__ */ React.createContext(null);",
    );
  });

  test("are not named", () => {
    expect(routerLoader('var a = 1;\nLink.displayName = "Link";\nvar b = 2;')).toBe("var a = 1;\n\nvar b = 2;");
  });

  test("keep what they need to work", () => {
    const source = "Boundary.contextType = Known;\nvar size = measure(React);\n  Link.displayName = name;\n";
    expect(routerLoader(source)).toBe(source);
  });

  // Where a new version is written in another way, this says so before the budget of bytes does.
  test("of the installed version are all found", async () => {
    const folder = path.join(
      path.dirname(createRequire(import.meta.url).resolve("react-router/package.json")),
      "dist/development",
    );
    const chunks = (await readdir(folder)).filter((file) => /^chunk-\w+\.mjs$/.test(file));
    const sources = await Promise.all(chunks.map((file) => readFile(path.join(folder, file), "utf8")));
    const source = sources.join("\n");
    expect(source).toContain("var NavLink = React");
    expect(source).toContain(".displayName =");
    const loaded = routerLoader(source);
    expect(loaded).toContain("var NavLink = /* @__PURE__ */ React");
    expect(loaded).not.toMatch(/^\w+\.displayName =/m);
    expect(loaded.match(/^var \w+ = React\d*\.\w+\(/gm) ?? []).toEqual([]);
  });
});
