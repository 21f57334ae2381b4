import { readFile } from "node:fs/promises";
import path from "node:path";

import { evaluate } from "@mdx-js/mdx";
import { Children, createElement, type ComponentProps, type ReactElement } from "react";
import * as runtime from "react/jsx-runtime";
import { renderToStaticMarkup } from "react-dom/server";
import remarkGfm from "remark-gfm";

// scripts/copy-files.mjs creates it.
const GUIDE = path.join(import.meta.dirname, "../check/errors.md");

const STYLES = `
  :root { color-scheme: light dark; }
  body { max-width: 48rem; margin: 2rem auto; padding: 0 1rem; font: 16px/1.6 system-ui, sans-serif; }
  pre { padding: 0.75rem; border: 1px solid; border-radius: 4px; overflow: auto; }
  code { font: 14px/1.5 ui-monospace, monospace; }
  h2:target { text-decoration: underline; }
`;

/** Returns docs/errors.md as a page of HTML, whose headings have the codes as anchors. */
export async function errorsPage(): Promise<string> {
  const text = await readFile(GUIDE, "utf8");
  const { default: Guide } = await evaluate(text, { ...runtime, format: "md", remarkPlugins: [remarkGfm] });
  const guide = renderToStaticMarkup(createElement(Guide, { components: { h2: Heading } }));
  return (
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Errors</title>' +
    `<meta name="viewport" content="width=device-width, initial-scale=1"><style>${STYLES}</style></head>` +
    `<body>${guide}</body></html>\n`
  );
}

function Heading({ children }: ComponentProps<"h2">): ReactElement {
  // A heading is `code: text`, and may have markup after the colon.
  const [first] = Children.toArray(children);
  const id = typeof first === "string" ? first.split(":")[0] : undefined;
  return createElement("h2", { id }, children);
}
