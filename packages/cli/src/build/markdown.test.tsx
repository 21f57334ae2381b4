// @vitest-environment node
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { pathToFileURL } from "node:url";

import type { ComponentType, ReactElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, test } from "vitest";

import { helloSection } from "../../fixtures/temporary.js";
import { compileMarkdown, markdown } from "./markdown.js";

interface MarkdownModule {
  readonly default: ComponentType<{ readonly components?: Readonly<Record<string, unknown>> }>;
  readonly frontmatter: Readonly<Record<string, unknown>>;
}

/** Compiles a text and imports the resulting module. */
async function load(source: string, ending = ".md"): Promise<MarkdownModule> {
  const file = path.join(await helloSection(), "text.js");
  await writeFile(file, (await compileMarkdown(source, `text${ending}`)).code);
  return (await import(/* @vite-ignore */ pathToFileURL(file).href)) as MarkdownModule;
}

function Fact({ name }: { readonly name: string }): ReactElement {
  return <b>{name}</b>;
}

async function markupOf(source: string, ending = ".md"): Promise<string> {
  const { default: Text } = await load(source, ending);
  return renderToStaticMarkup(<Text components={{ "site-fact": Fact, Fact }} />);
}

describe("a Markdown file", () => {
  test("compiles to React elements", async () => {
    expect(await markupOf("# Title\n\nA *text* with [a link](/terms).")).toBe(
      '<h1>Title</h1>\n<p>A <em>text</em> with <a href="/terms">a link</a>.</p>',
    );
  });

  test("supports tables", async () => {
    expect(await markupOf("| a |\n| - |\n| b |")).toContain("<td>b</td>");
  });

  test("exports its front matter and does not render it", async () => {
    const source = "---\ntitle: About us\norder: 2\ntags: [a, b]\n---\n\nText.";
    expect((await load(source)).frontmatter).toEqual({ title: "About us", order: 2, tags: ["a", "b"] });
    expect(await markupOf(source)).toBe("<p>Text.</p>");
  });

  test("does not need front matter", async () => {
    expect((await load("Text.")).frontmatter).toBeUndefined();
  });

  test("renders names in braces as site facts", async () => {
    expect(await markupOf("Write to {contact}, says {brand}.")).toBe(
      "<p>Write to <b>contact</b>, says <b>brand</b>.</p>",
    );
  });

  test("drops HTML and does not evaluate code", async () => {
    expect(await markupOf("<script>alert(1)</script>\n\n<b>a</b> {1 + 1} <Fact />")).toBe("<p>a {1 + 1} </p>");
  });
});

describe("an MDX file", () => {
  test("has Markdown, JSX, exports and expressions", async () => {
    const source =
      '---\ntitle: Tea\n---\n\nexport const price = 3;\n\n# Tea\n\nIt costs **{price + 1}**: <Fact name="tax" />.';
    expect(await markupOf(source, ".mdx")).toBe("<h1>Tea</h1>\n<p>It costs <strong>4</strong>: <b>tax</b>.</p>");
    expect((await load(source, ".mdx")).frontmatter).toEqual({ title: "Tea" });
  });

  test("has tables without style attributes", async () => {
    expect(await markupOf("| a |\n| -: |\n| b |", ".mdx")).toContain('<td align="right">b</td>');
  });

  test.each([
    ["A.\n\n<Fact>", /^Expected a closing tag for `<Fact>`.* \(line 3, column 1\)$/],
    ["A {1 +}.", /^Could not parse expression with acorn \(line 1, column \d\)$/],
    ["<!-- a -->", /to create a comment in MDX.* \(line 1, column 2\)$/],
  ])("with a mistake names its position: %j", async (source, message) => {
    await expect(compileMarkdown(source, "text.mdx")).rejects.toThrow(message);
  });
});

test("the Vite plugin transforms only .md and .mdx files", async () => {
  const plugin = markdown();
  expect(plugin.transform("export {}", "/src/page.tsx")).toBeUndefined();
  for (const file of ["/src/about.md", "/src/about.mdx"])
    expect((await plugin.transform("Text.", file))?.code).toContain("Text.");
});
