// Within a crate, files import one way: types at the bottom, parts above them, and one file that wires the parts.
import { expect, test } from "vitest";

import { FILES, read } from "./repository.js";

const SOURCE = /^(gateway(?:\/crates\/[^/]+)?)\/src\/(?:(.*)\/)?(?:lib|main|mod|(\w+))\.rs$/;
const USE = /^ *(pub\S* )?use ([^;]+);/gm;
/** What is no import: comments, texts, unit tests at the end of a file, and declarations of modules. */
const OTHERS =
  /\/\/.*|"(?:\\[^]|[^"\\])*"|#\[cfg\((?:any\()?test.*\s+(?:pub\S* )?mod \w+ \{[^]*|\bmod \w+;|\(in .*?\)/g;

test("No files of a crate of the gateway import each other, directly or over others", () => {
  const files = FILES.filter((file) => SOURCE.test(file));
  expect(files.length).toBeGreaterThan(500);
  expect(cycles(new Map(files.map((file) => [file, read(file)])))).toEqual([]);
});

test("A cycle is found over inline paths and names that another file re-exports", () => {
  const [lib, a, parts] = ["gateway/src/lib.rs", "gateway/src/parts/a.rs", "gateway/src/parts/mod.rs"];
  const found = (/** @type {string} */ ofLib, /** @type {string} */ ofA) => {
    const ofParts = "mod a;\n// use crate::parts;\npub(crate) use a::{\n    self, A as B,\n};";
    return cycles(new Map(Object.entries({ [lib]: ofLib, [a]: ofA, [parts]: ofParts })));
  };
  expect(found("mod parts;\nuse parts::B;", "use crate::parts::{self as p, C};")).toEqual([]);
  expect(found("mod parts;\nfn f() { parts::B::f() }", "use crate::{f as g, x};")).toEqual([lib, a]);
});

/** Lists the files on cycles of imports. @param {Map<string, string>} files the content by path */
function cycles(files) {
  const modules = new Map([...files].map(([file, content]) => parse(file, content)));
  /** @type {(from: string, path: string) => string} */
  const resolve = (from, path) => {
    const [first = "", ...names] = path.split("::");
    const roots = new Map([
      ["crate", from.replace(/::.*/, "")],
      ["self", from],
      ["super", from.replace(/::\w+$/, "")],
    ]);
    let found = roots.get(first) ?? `${from}::${first}`;
    while (modules.has(`${found}::${names[0]}`)) found += `::${names.shift()}`;
    const used = found !== from && modules.get(found)?.uses.find(({ name }) => name === names[0]);
    const origin = used && resolve(found, used.path);
    return origin && modules.has(origin) ? origin : found;
  };
  let left = [...modules].map(([module, { file, code, uses }]) => {
    const named = uses.filter(({ isPublic, name }) => !isPublic || code.split(/\W/).includes(name ?? ""));
    const paths = [...named.map(({ path }) => path), ...(code.match(/(?<![\w:.])\w+(?:::\w+)+/g) ?? [])];
    const imports = new Set(paths.map((path) => modules.get(resolve(module, path))?.file));
    return { file, imports: [...imports].filter((name) => name !== file) };
  });
  for (let before = 0; before !== left.length;) {
    before = left.length;
    left = left.filter(({ imports }) => left.some(({ file }) => imports.includes(file)));
    left = left.filter(({ file }) => left.some(({ imports }) => imports.includes(file)));
  }
  return left.map(({ file }) => file);
}

/** @param {string} file @param {string} content */
function parse(file, content) {
  const [, crate, folder = "", module] = SOURCE.exec(file) ?? [];
  const code = content.replace(OTHERS, "");
  const uses = [...code.matchAll(USE)].flatMap(([, isPublic, tree = ""]) =>
    expand(tree.replace(/\s+as\s+/g, "@").replace(/\s/g, "")).map((used) => {
      const [path = "", name = path.split("::").at(-1)] = used.replace(/::self\b/, "").split("@");
      return { isPublic, path, name };
    }),
  );
  const name = [crate, ...folder.split("/"), module].filter(Boolean).join("::");
  return /** @type {const} */ ([name, { file, code: code.replace(USE, ""), uses }]);
}

/** Expands the braces of a `use` declaration. @param {string} tree @returns {string[]} */
function expand(tree) {
  const [group, inner = ""] = /\{([^{}]*)\}/.exec(tree) ?? [];
  if (group === undefined) return [tree];
  return inner
    .split(",")
    .filter(Boolean)
    .flatMap((part) => expand(tree.replace(group, part)));
}
