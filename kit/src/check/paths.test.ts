// What `section check` finds in the declarations of a section and in the paths and data of its pages.
import { expect, test, describe, beforeAll, vi } from "vitest";

import { failure, runCompiled } from "../../fixtures/command.js";
import { labSection, pageSource } from "../../fixtures/lab.js";
import { helloSection } from "../../fixtures/temporary.js";
import type { Section } from "../section.js";
import type { Problem } from "./problem.js";
import { createSteps } from "./sandbox/index.js";

const NON_JSON =
  "is not JSON-serializable; expected only null, booleans, finite numbers, strings, arrays and plain objects";

const DATA: Readonly<Record<string, readonly [data: string, advice: string]>> = {
  function: ["{ say: () => 1 }", "data.say is a function."],
  date: ["{ day: new Date(0) }", "data.day is a Date."],
  map: ["[new Map()]", "data[0] is a Map."],
  undefined: ["{ words: undefined }", "data.words is undefined."],
  notANumber: ["[NaN]", "data[0] is NaN."],
  bigint: ["{ count: 1n }", "data.count is a bigint."],
  cycle: ["(() => { const it = {}; it.self = it; return it; })()", "is cyclic or nested too deeply."],
};

const PATHS: Readonly<Record<string, readonly [fields: string, message: string]>> = {
  promised: [
    'paths: async () => ["/lab/promised"]',
    'paths() of the page "/lab/promised" does not return a list of strings',
  ],
  elsewhere: [
    'paths: () => ["/goodbye/Dutch"]',
    'paths() of the page "/lab/elsewhere" returns /goodbye/Dutch, which does not match the pattern',
  ],
  slash: [
    'paths: () => ["/lab/slash/"]',
    'paths() of the page "/lab/slash" returns /lab/slash/, which does not match the pattern',
  ],
  missing: [
    'paths: () => ["/lab/missing"], data: () => notFound("Language not found")',
    'paths() of the page "/lab/missing" returns /lab/missing, but its data() is notFound("Language not found")',
  ],
};

let problems: Problem[];
beforeAll(async () => {
  const pages = {
    ...Object.fromEntries(Object.entries(DATA).map(([name, [data]]) => [name, pageSource(`data: () => (${data})`)])),
    ...Object.fromEntries(
      Object.entries(PATHS).map(([name, [fields]]) => [
        name,
        pageSource(fields, 'import { notFound } from "@colonnade/kit";'),
      ]),
    ),
    unexported: "export const Page = () => null;",
    // A page that lists no path may have none.
    unlisted: pageSource("data: () => notFound()", 'import { notFound } from "@colonnade/kit";'),
    // Data may be undefined or asynchronous.
    empty: pageSource("data: async () => undefined"),
    // The pages list too many paths together, not each of them.
    ...Object.fromEntries(
      ["many", "more"].map((name) => [
        name,
        pageSource(`anyParams: true, paths: () => Array.from({ length: 2500 }, (_, id) => \`/lab/${name}/\${id}\`)`),
      ]),
    ),
  };
  const folder = await labSection(pages, { many: "/lab/many/:id", more: "/lab/more/:id" });
  const { out, err } = await runCompiled(folder, ["check", "--json"]);
  if (out === "") throw new Error(err);
  ({ problems } = JSON.parse(out) as { problems: Problem[] });
});

describe("data that is not JSON-serializable is rejected", () => {
  test.each(Object.entries(DATA))("%s", (name, [, advice]) => {
    const problem = problems.find(({ message }) => message === `the data of /lab/${name} ${NON_JSON}`);
    expect(problem?.code).toBe("COL112");
    expect(problem?.help).toContain(advice);
  });
});

describe("a path of paths() is rejected", () => {
  test.each(Object.entries(PATHS))("%s", (_, [, message]) => {
    expect(problems).toContainEqual(expect.objectContaining({ code: "COL100", message }));
  });
});

test("a page's module without a page export is rejected", () => {
  const message =
    'the module of the page "/lab/unexported" does not export "page"; expected export const page = definePage({ … })';
  expect(problems).toContainEqual(expect.objectContaining({ code: "COL100", message }));
});

test("a section that lists too many paths is rejected", () => {
  const message = "the pages of the section list 5003 paths; expected at most 5000";
  expect(problems).toContainEqual(expect.objectContaining({ code: "COL100", message }));
});

test("no other page is rejected", () => {
  expect(problems).toHaveLength(Object.keys(DATA).length + Object.keys(PATHS).length + 2);
});

describe("a section is rejected", () => {
  const pages = (pattern: string): object => ({ pages: { [pattern]: vi.fn() } });
  test.each([
    [
      "whose name differs from the configuration",
      { name: "goodbye" },
      'the name is "goodbye" in defineSection, but "hello" in section.config.js; use the same name',
    ],
    ["with an unsupported contract", { contract: 2 }, "the section has contract 2; this kit supports contract 1"],
    [
      "with an invalid pattern",
      pages("/api/x"),
      'the pattern "/api/x" is invalid: paths under "/api" are reserved for the gateway',
    ],
    [
      "with a pattern of more segments than the gateway serves",
      pages("/a".repeat(65)),
      `the pattern "${"/a".repeat(65)}" is invalid: it has 65 segments; expected at most 64`,
    ],
  ])("%s", async (_, declared, problem) => {
    const section = { name: "hello", contract: 1, pages: {}, ...declared } as Section;
    expect(await createSteps(() => Promise.resolve({ default: section }), "hello").loadSection()).toEqual({ problem });
  });

  test.each([
    [
      "whose slot's module has no slot export",
      '{ name: "hello", contract: 1, pages: {}, slots: { join: () => import("./languages") } }',
      "",
      'the module of the slot "join" does not export "slot"; expected export const slot = defineSlot({ … })',
    ],
    [
      "that never finishes loading",
      '{ name: "hello", contract: 1, pages: {} }',
      "for (;;);\n",
      "loading the section exceeded 2000 ms of CPU time: is there an endless loop?",
    ],
  ])("%s", async (_, declaration, statement, message) => {
    const source = `import { defineSection } from "@colonnade/kit";\n${statement}export default defineSection(${declaration});\n`;
    const folder = await helloSection({ "src/section.ts": source });
    const { code, err } = await runCompiled(folder, ["check"]);
    expect(code).toBe(3);
    expect(err).toContain(message);
    expect(err).toContain("hello breaks the rules for sections: 1 problem\n");
  });
});

test("a shell cannot be checked", async () => {
  const folder = await helloSection({
    "section.config.js": 'export default { name: "shell", kind: "shell", entry: "./src/section.ts" };',
  });
  expect(await runCompiled(folder, ["check"])).toEqual(failure("shell is not a section; only sections can be checked"));
});
