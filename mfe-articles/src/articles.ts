import type { ReactElement, ReactNode } from "react";

/** A compiled Markdown file. */
export interface MarkdownModule {
  readonly default: (props: {
    readonly components?: Readonly<Record<string, unknown>>;
  }) => ReactElement<{ readonly children?: ReactNode }>;
  readonly frontmatter: Readonly<Record<string, unknown>>;
}

/**
 * Slugs of the articles, in the hub's order. A slug is the last path segment and the name of the file in `content/`.
 * To add an article, also edit `cards.ts` and `section.ts`, and add a module to `pages/articles/`.
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

/** The slug of an article. */
export type ArticleSlug = (typeof SLUGS)[number];

/** Link texts: the titles in the Markdown files, repeated here so that a page need not load other articles. */
export const TITLES: Readonly<Record<ArticleSlug, string>> = {
  "what-is-escort-babylon": "What is Escort Babylon?",
  "platform-comparison": "How to compare platforms",
  "safety-guide": "Safety guide",
  "top-cities": "Top cities, and what the lists mean",
  "profile-tips": "Profile tips",
  "legal-guide": "Legal guide",
  "platform-evolution": "Platform evolution",
  "red-flags": "Red flags",
  "escort-experiences": "Escort experiences",
};
