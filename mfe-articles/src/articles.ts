import type { ComponentType } from "react";

/** A compiled Markdown file. */
export interface MarkdownModule {
  readonly default: ComponentType<{ readonly components?: Readonly<Record<string, unknown>> }>;
  readonly frontmatter: Readonly<Record<string, unknown>>;
}

/** The articles in the hub's order, each a chunk of its own. An article is added here and in `cards.ts`. */
export const ARTICLES = {
  "what-is-escort-babylon": () => import("../content/what-is-escort-babylon.md"),
  "platform-comparison": () => import("../content/platform-comparison.md"),
  "safety-guide": () => import("../content/safety-guide.md"),
  "top-cities": () => import("../content/top-cities.md"),
  "profile-tips": () => import("../content/profile-tips.md"),
  "legal-guide": () => import("../content/legal-guide.md"),
  "platform-evolution": () => import("../content/platform-evolution.md"),
  "red-flags": () => import("../content/red-flags.md"),
  "escort-experiences": () => import("../content/escort-experiences.md"),
} as const satisfies Readonly<Record<string, () => Promise<MarkdownModule>>>;

/** Last segment of an article's path, and name of its file in `content/`. */
export type ArticleSlug = keyof typeof ARTICLES;

/** All slugs, in the hub's order. */
export const SLUGS = Object.keys(ARTICLES) as readonly ArticleSlug[];

/** Whether there is an article of that name. */
export function isArticle(slug: string): slug is ArticleSlug {
  return Object.hasOwn(ARTICLES, slug);
}
