import { compile, type CompileOptions } from "@mdx-js/mdx";
import type { Nodes, Root } from "mdast";
import { findAndReplace } from "mdast-util-find-and-replace";
import remarkFrontmatter from "remark-frontmatter";
import remarkGfm from "remark-gfm";
import remarkMdxFrontmatter from "remark-mdx-frontmatter";

/** Remark plugin: replaces `{name}` in a text with a `site-fact` element, which a page renders as the site's fact. */
function siteFacts() {
  return (tree: Root): void => {
    findAndReplace(tree, [
      /\{([a-zA-Z]+)\}/g,
      (_, name: string) =>
        ({ type: "emphasis", children: [], data: { hName: "site-fact", hProperties: { name } } }) satisfies Nodes,
    ]);
  };
}

/** Compiler options: CommonMark with GFM, front matter as an export, no HTML or JSX. */
export const MARKDOWN: CompileOptions = {
  format: "md",
  // By default an aligned table cell gets a style attribute, which the Content Security Policy blocks.
  tableCellAlignToStyle: false,
  remarkPlugins: [remarkFrontmatter, remarkMdxFrontmatter, remarkGfm, siteFacts],
};

/**
 * Compiles Markdown to an ES module. The default export is a React component that renders the text; `frontmatter` is the
 * YAML front matter.
 */
export async function compileMarkdown(source: string): Promise<string> {
  return String(await compile(source, MARKDOWN));
}

/** A Vite plugin that imports `.md` files in tests as the build does. */
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
