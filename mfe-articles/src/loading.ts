import { use } from "react";

import { ARTICLES, type ArticleSlug, type MarkdownModule } from "./articles";

const texts = new Map<ArticleSlug, MarkdownModule>();
const awaited = new Map<ArticleSlug, Promise<MarkdownModule>>();

/** Loads an article's text. From then on it can be rendered without waiting, as a render on the server must. */
export async function loadText(slug: ArticleSlug): Promise<MarkdownModule> {
  const text = await ARTICLES[slug]();
  texts.set(slug, text);
  return text;
}

/**
 * An article's text during render. It is there once the page's `data` has run; on a page that came
 * rendered `data` has not run in this browser, and the text is waited for.
 */
export function useText(slug: ArticleSlug): MarkdownModule {
  return texts.get(slug) ?? use(awaitText(slug));
}

// One promise for all attempts to render. One that failed stays, so that React sees the failure instead of
// trying for ever; the visitor's next attempt goes through `data`, which loads anew.
function awaitText(slug: ArticleSlug): Promise<MarkdownModule> {
  const present = awaited.get(slug);
  if (present) return present;
  const waiting = loadText(slug);
  awaited.set(slug, waiting);
  return waiting;
}
