import postcss from "postcss";
import { describe, expect, test } from "vitest";

import { scopedStyles } from "./scopedStyles.js";

async function scoped(css: string, isModule = false): Promise<string> {
  const result = await postcss([scopedStyles("hello", { isModule })]).process(css, { from: undefined });
  return result.css;
}

const S = ":where(.hello_scope)";

describe("a selector matches only the section's content", () => {
  test.each([
    [".a, p > b {}", `${S} .a,${S}  p > b {}`],
    ["*, ::before {}", `${S} *,${S}  ::before {}`],
    [":root, :host {}", `${S},${S} {}`],
    ["#root, #root > .a {}", ":is(.hello_scope),:is(.hello_scope) > .a {}"],
    ["html body.dark .a, html:root {}", `${S}.dark .a,${S} {}`],
    ["body > #root > .a, html .a > body {}", `:is(.hello_scope) > .a,${S} .a > body {}`],
    ["body > div#root, body > main#root {}", "div:is(.hello_scope),main:is(.hello_scope) {}"],
    ["html > body > div#root .a, body > *#root {}", "div:is(.hello_scope) .a,*:is(.hello_scope) {}"],
    ["body > section:root {}", `section${S} {}`],
    ["body.dark .a:not(html) {}", `${S}.dark .a:not(html) {}`],
    [".a { & b {} @media print { i {} } }", `${S} .a { & b {} @media print { i {} } }`],
    ["@media print { @supports (gap: 0) { b {} } }", `@media print { @supports (gap: 0) { ${S} b {} } }`],
    ["@scope (.a) to (.b) { i {} }", `@scope (${S} .a) to (.b) { i {} }`],
    ["@scope to (.b) { i {} }", `@scope (${S}) to (.b) { i {} }`],
    ["@font-feature-values Serif { @styleset { nice: 1 } }", "@font-feature-values Serif { @styleset { nice: 1 } }"],
  ])("%s", async (css, expected) => {
    expect(await scoped(css)).toBe(expected);
  });
});

describe("a document-wide name gets the section's name", () => {
  test.each([
    [
      "@keyframes spin { from { top: 0 } } .a { animation: spin 1s, fade 1s; --turn: spin 1s }",
      `@keyframes hello_spin { from { top: 0 } } ${S} .a { animation: hello_spin 1s, fade 1s; --turn: hello_spin 1s }`,
    ],
    [
      '@property --x { syntax: "*"; inherits: false } .a { --x: 1; --xy: var(--x, var(--y)) }',
      `@property --hello_x { syntax: "*"; inherits: false } ${S} .a { --hello_x: 1; --xy: var(--hello_x, var(--y)) }`,
    ],
    [
      "@function --twice(--n) { result: 1 } .a { top: --twice(1) } @container style(--twice: 1) { .b {} }",
      `@function --hello_twice(--n) { result: 1 } ${S} .a { top: --hello_twice(1) } @container style(--hello_twice: 1) { ${S} .b {} }`,
    ],
    [
      "@font-face { font-family: 'My Font' } .a { font: 1rem 'My Font', Arial } .b { font-family: Arial }",
      `@font-face { font-family: 'hello_My Font' } ${S} .a { font: 1rem 'hello_My Font', Arial } ${S} .b { font-family: Arial }`,
    ],
    [
      "@layer base, hello_x.y; @layer base { @layer inner { .a {} } } @layer { @layer inner; }",
      `@layer hello_base, hello_x.y; @layer hello_base { @layer inner { ${S} .a {} } } @layer { @layer inner; }`,
    ],
    ["@property {} .a { top: calc((1px)) }", `@property {} ${S} .a { top: calc((1px)) }`],
    ["@import 'x.css' layer(base.y) print;", "@import 'x.css' layer(hello_base.y) print;"],
    [
      "@keyframes hello_spin {} .a { animation-name: hello_spin }",
      `@keyframes hello_spin {} ${S} .a { animation-name: hello_spin }`,
    ],
  ])("%s", async (css, expected) => {
    expect(await scoped(css)).toBe(expected);
  });
});

test("a CSS module keeps what css-loader limits and renames", async () => {
  const css = "@layer a { .a { animation: spin 1s } } @keyframes spin {} @property --x {}";
  expect(await scoped(css, true)).toBe(css.replace("@layer a", "@layer hello_a").replace("--x", "--hello_x"));
});
