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
async function load(source: string): Promise<MarkdownModule> {
  const file = path.join(await helloSection(), "text.js");
  await writeFile(file, await compileMarkdown(source));
  return (await import(/* @vite-ignore */ pathToFileURL(file).href)) as MarkdownModule;
}

function Fact({ name }: { readonly name: string }): ReactElement {
  return <b>{name}</b>;
}

async function markupOf(source: string): Promise<string> {
  const { default: Text } = await load(source);
  return renderToStaticMarkup(<Text components={{ "site-fact": Fact }} />);
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

test("the Vite plugin transforms only .md files", async () => {
  const plugin = markdown();
  expect(plugin.transform("export {}", "/src/page.tsx")).toBeUndefined();
  expect((await plugin.transform("Text.", "/src/about.md"))?.code).toContain("Text.");
});
