import path from "node:path";

import { compile, type CompileOptions } from "@mdx-js/mdx";
import type { CallExpression } from "estree";
import type { Nodes, Root } from "mdast";
import { findAndReplace } from "mdast-util-find-and-replace";
import remarkFrontmatter from "remark-frontmatter";
import remarkGfm from "remark-gfm";
import remarkMdxFrontmatter from "remark-mdx-frontmatter";
import { SourceMapGenerator } from "source-map";

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

/** Recma plugin: gives the function of each call the position of the call, which is that of an element. Source maps have no calls. */
function positions() {
  return locateCalls;
}

function locateCalls(node: object): void {
  const { type, callee, loc } = node as Partial<CallExpression>;
  if (type === "CallExpression" && callee && loc) callee.loc ??= loc;
  for (const child of Object.values(node as Readonly<Record<string, unknown>>))
    if (typeof child === "object" && child) locateCalls(child);
}

const PLUGINS = [remarkFrontmatter, remarkMdxFrontmatter, remarkGfm];

const OPTIONS: CompileOptions = {
  // By default an aligned table cell gets a style attribute, which the Content Security Policy blocks.
  tableCellAlignToStyle: false,
  recmaPlugins: [positions],
  SourceMapGenerator,
};

// CommonMark with GFM, and front matter as an export.
const FORMATS: Readonly<Record<string, CompileOptions>> = {
  // No HTML and no code.
  ".md": { ...OPTIONS, format: "md", remarkPlugins: [...PLUGINS, siteFacts] },
  // JSX, imports, exports and expressions. HTML is JSX.
  ".mdx": { ...OPTIONS, format: "mdx", remarkPlugins: PLUGINS },
};

/** What a file is compiled to. */
export interface CompiledMarkdown {
  readonly code: string;
  readonly map: object | null;
}

/**
 * Compiles a file of Markdown or MDX to an ES module. The default export is a React component that renders the text; `frontmatter`
 * is the YAML front matter.
 *
 * @throws Error with the position of a syntax error.
 */
export async function compileMarkdown(source: string, file: string): Promise<CompiledMarkdown> {
  try {
    const compiled = await compile({ value: source, path: file }, FORMATS[path.extname(file)]);
    return { code: String(compiled), map: compiled.map ?? null };
  } catch (error) {
    const { reason, line, column } = error as Partial<Record<"reason" | "line" | "column", string>>;
    // An element that is not closed has its position in the text only.
    const [, row, at] = / \((\d+):(\d+)-/.exec(reason ?? "") ?? ["", line, column];
    throw reason === undefined || row === undefined
      ? error
      : new Error(`${reason} (line ${row}, column ${at ?? "1"})`, { cause: error });
  }
}

/** A Vite plugin that imports `.md` and `.mdx` files in tests as the build does. */
export function markdown(): {
  name: string;
  enforce: "pre";
  transform(code: string, id: string): Promise<CompiledMarkdown> | undefined;
} {
  return {
    name: "colonnade-markdown",
    enforce: "pre",
    transform: (code, id) => (path.extname(id) in FORMATS ? compileMarkdown(code, id) : undefined),
  };
}
