import { compile, type CompileOptions } from "@mdx-js/mdx";
import type { Nodes, Root } from "mdast";
import { findAndReplace } from "mdast-util-find-and-replace";
import remarkFrontmatter from "remark-frontmatter";
import remarkGfm from "remark-gfm";
import remarkMdxFrontmatter from "remark-mdx-frontmatter";

/**
 * Turns `{name}` in the text into an element `site-fact` with that name, so that a page can put the
 * site's own facts (brand, contact, …) where a writer names them.
 */
function siteFacts() {
  return (tree: Root): void => {
    findAndReplace(tree, [
      /\{([a-zA-Z]+)\}/g,
      (_, name: string) =>
        ({ type: "emphasis", children: [], data: { hName: "site-fact", hProperties: { name } } }) satisfies Nodes,
    ]);
  };
}

/** How Markdown is compiled: CommonMark with tables, front matter exported, no HTML, no code. */
export const MARKDOWN: CompileOptions = {
  format: "md",
  // An aligned table cell would otherwise get a style attribute, which the content security policy refuses.
  tableCellAlignToStyle: false,
  remarkPlugins: [remarkFrontmatter, remarkMdxFrontmatter, remarkGfm, siteFacts],
};

/** Compiles a Markdown file to a module of React elements: default export the text, `frontmatter` its front matter. */
export async function compileMarkdown(source: string): Promise<string> {
  return String(await compile(source, MARKDOWN));
}

/** A Vite plugin with the same compilation, for tests. */
export function markdown(): {
  name: string;
  enforce: "pre";
  transform(code: string, id: string): Promise<{ code: string; map: null }> | undefined;
} {
  return {
    name: "colonnade-markdown",
    enforce: "pre",
    transform(code, id) {
      if (!id.endsWith(".md")) return undefined;
      return compileMarkdown(code).then((compiled) => ({ code: compiled, map: null }));
    },
  };
}
