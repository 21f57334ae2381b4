import type { MarkdownRenderer } from "vitepress";

/**
 * Renders `mermaid` blocks as diagrams (theme/MermaidDiagram.ts), and shows the file name of other blocks, which is in
 * brackets after the language.
 */
export function codeBlocks(markdown: MarkdownRenderer): void {
  const { fence } = markdown.renderer.rules;
  markdown.renderer.rules.fence = (tokens, index, options, env, self) => {
    const { info = "", content = "" } = tokens[index] ?? {};
    if (info === "mermaid") return `<MermaidDiagram source="${encodeURIComponent(content)}"></MermaidDiagram>`;
    const [, file] = /\[(.+)\]/.exec(info) ?? [];
    const caption = file === undefined ? "" : `<p class="code-file">${markdown.utils.escapeHtml(file)}</p>`;
    return caption + (fence?.(tokens, index, options, env, self) ?? "");
  };
}
