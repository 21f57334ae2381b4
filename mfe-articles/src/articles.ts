import type { ReactElement, ReactNode } from "react";

/** A compiled Markdown file. */
export interface MarkdownModule {
  readonly default: (props: {
    readonly components?: Readonly<Record<string, unknown>>;
  }) => ReactElement<{ readonly children?: ReactNode }>;
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

/** What links call them: the titles of their files, which an article does not load for its neighbours' sake. */
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
