import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";

import { describe, expect, test } from "vitest";

const ROOT = path.resolve(import.meta.dirname, "../..");
const TESTS = path.join(ROOT, "gateway/tests");
const SOURCES = path.join(ROOT, "gateway/src");

const [start = "", ...chapters] = readFileSync(path.join(ROOT, "docs/edge.md"), "utf8").split(/^## /m);

/** The last of the chapters with attacks during which somebody reads the site. */
const LAST = "Sign-ups";

/**
 * The tests that a text names: a file in backticks, which may stand there by itself, and names of tests in it, of which `…`
 * leaves out the rest.
 *
 * @param {string} words
 * @param {string} file The one in which names at the beginning are.
 */
const named = (words, file = "") => {
  const found = [];
  for (const [, quoted, name] of words.matchAll(/`([^`]+)`|\b([a-z0-9]+(?:_[a-z0-9]+)+…?)/g)) {
    if (name !== undefined) {
      if (found.at(-1)?.name === "") found.pop();
      found.push({ file, name });
    } else if (quoted?.includes("::") || existsSync(path.join(TESTS, `${quoted}.rs`))) {
      file = quoted ?? "";
      found.push({ file, name: "" });
    }
  }
  return found;
};

/**
 * The text of the files that a name stands for: one of the tests, or a module of the gateway.
 *
 * @param {string} file
 */
const source = (file) => {
  if (!file.includes("::")) return readFileSync(path.join(TESTS, `${file}.rs`), "utf8");
  const place = `/${file.split("::").join("/")}`;
  // A module of tests may stand in the file of what it tries.
  const ends = [place, place.replace(/\/tests$/, "")].flatMap((module) => [`${module}.rs`, `${module}/mod.rs`]);
  const files = readdirSync(SOURCES, { recursive: true, encoding: "utf8" });
  const own = files.filter((name) => ends.some((end) => `/${name}`.endsWith(end)));
  return own.map((name) => readFileSync(path.join(SOURCES, name), "utf8")).join("\n");
};

/**
 * The functions of a file, each with its text up to the brace that ends it.
 *
 * @param {string} file
 */
const functions = (file) => {
  const declared = /^(?: *#\[(?:tokio::)?test\b.*\]\n)?(?<indent> *)(?:async )?fn (?<name>\w+)[^]*?\n\k<indent>\}$/gm;
  return [...source(file).matchAll(declared)].map(([body, , name = ""]) => ({
    name,
    body,
    isTest: body.trimStart().startsWith("#["),
  }));
};

/**
 * The tests that a name may mean.
 *
 * @param {{ file: string, name: string }} test
 */
const meant = ({ file, name }) =>
  functions(file).filter(
    (each) => each.isTest && (name.endsWith("…") ? each.name.startsWith(name.slice(0, -1)) : each.name === name),
  );

/**
 * Whether somebody reads the site while a function runs, which may leave that to others of its file.
 *
 * @param {string} file
 * @param {{ name: string, body: string }} body
 * @param {string[]} callers
 * @returns {boolean}
 */
const isVisited = (file, { name, body }, callers = []) =>
  /\battack(_encrypted|_rendering)?\(/.test(body) ||
  functions(file).some(
    (each) =>
      ![name, ...callers].includes(each.name) &&
      new RegExp(`\\b${each.name}\\(`).test(body) &&
      isVisited(file, each, [name, ...callers]),
  );

const rows = chapters.flatMap((chapter) => {
  const [title = "", ...lines] = chapter.split("\n");
  const begin = lines.findIndex((line) => /^\|.*\| Test +\|$/.test(line));
  const end = lines.findIndex((line, number) => number > begin && !line.startsWith("|"));
  let file = "";
  return (begin < 0 ? [] : lines.slice(begin + 2, end)).map((row) => {
    const cells = row.split(/ +\| */);
    const tests = named(cells.at(-2) ?? "", file);
    file = tests.at(-1)?.file ?? "";
    return { title, attack: (cells[0] ?? "").slice(2), tests, isTheSame: (cells.at(-2) ?? "").startsWith("the same") };
  });
});
const last = rows.findLastIndex(({ title }) => title === LAST);
const exceptions = named(start.slice(start.indexOf("\n- ")));
const words = [start, ...chapters].flatMap((chapter) => chapter.split("\n\n")).filter((each) => !each.startsWith("|"));
const all = [...rows.flatMap(({ tests }) => tests), ...words.flatMap((each) => named(each))];

/** @param {{ file: string, name: string }} test */
const isException = (test) =>
  test.file.includes("::") ||
  exceptions.some(
    ({ file, name }) =>
      file === test.file &&
      (name === "" || (test.name !== "" && meant({ file, name })[0]?.name === meant(test)[0]?.name)),
  );

describe("the page about the edge", () => {
  test("has a test for every attack", () => {
    expect(last).toBeGreaterThan(50);
    for (const { attack, tests, isTheSame } of rows) expect(tests.length > 0 || isTheSame, attack).toBe(true);
  });

  test.each(all.filter(({ name }) => name !== ""))("$file has one test '$name'", (named) => {
    expect(meant(named)).toHaveLength(1);
  });

  test.each(rows.slice(0, last + 1).flatMap(({ tests }) => tests))(
    "somebody reads the site during $file $name",
    (named) => {
      if (isException(named)) return;
      const [found] = meant(named);
      expect(found && isVisited(named.file, found)).toBe(true);
    },
  );
});
