import type { ComponentType } from "react";

/** A compiled Markdown file. */
export interface MarkdownModule {
  readonly default: ComponentType<{ readonly components?: Readonly<Record<string, unknown>> }>;
  readonly frontmatter: Readonly<Record<string, unknown>>;
}

/**
 * Last segments of the articles' paths, and names of their files in `content/`, in the hub's order. An article is added
 * here, in `cards.ts`, in `section.ts` and as a module in `pages/articles/`.
 */
export const SLUGS = [
  "what-is-escort-babylon",
  "platform-comparison",
  "safety-guide",
  "top-cities",
  "profile-tips",
  "legal-guide",
  "platform-evolution",
  "red-flags",
  "escort-experiences",
] as const;

/** One of them. */
export type ArticleSlug = (typeof SLUGS)[number];
