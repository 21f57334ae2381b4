import { existsSync } from "node:fs";
import path from "node:path";

import type { MarkdownEnv, MarkdownRenderer } from "vitepress";

const ROOT = path.resolve(import.meta.dirname, "../..");

/**
 * Turns links to files that are not pages of the site, such as sources, into text with the file's path as its title. The
 * links work where the repository is browsed.
 *
 * @throws Error if a file does not exist.
 */
export function fileReferences(markdown: MarkdownRenderer): void {
  markdown.core.ruler.after("inline", "file-references", ({ tokens, env }) => {
    const { path: page } = env as MarkdownEnv;
    for (const { children } of tokens) {
      const open: boolean[] = [];
      for (const token of children ?? []) {
        if (token.type === "link_open") {
          const file = fileOf(token.attrGet("href") ?? "", page);
          open.push(file !== undefined);
          if (file === undefined) continue;
          Object.assign(token, {
            type: "file_open",
            tag: "span",
            attrs: [
              ["class", "file"],
              ["title", file],
            ],
          });
        } else if (token.type === "link_close" && open.pop()) {
          Object.assign(token, { type: "file_close", tag: "span" });
        }
      }
    }
  });
}

/** Returns the path of a link's file, relative to the repository. Links to pages and other sites have no file. */
function fileOf(href: string, page: string): string | undefined {
  if (/^([a-z]+:|\/|#)/.test(href)) return undefined;
  const target = path.resolve(path.dirname(page), href.replace(/#.*/, ""));
  const file = path.relative(ROOT, target);
  if (file.startsWith("docs/") && target.endsWith(".md")) return undefined;
  if (!existsSync(target)) throw new Error(`${page} links to ${href}, which does not exist; correct the path`);
  return file;
}
