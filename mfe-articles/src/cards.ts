// The query makes a separate module of each file, so that tree shaking removes the text, which stays in the article's
// chunk. It ends in ".md" because tests and types recognize Markdown by that suffix.
import { frontmatter as whatIsEscortBabylon } from "../content/what-is-escort-babylon.md?card.md";
import { frontmatter as platformComparison } from "../content/platform-comparison.md?card.md";
import { frontmatter as safetyGuide } from "../content/safety-guide.md?card.md";
import { frontmatter as topCities } from "../content/top-cities.md?card.md";
import { frontmatter as profileTips } from "../content/profile-tips.md?card.md";
import { frontmatter as legalGuide } from "../content/legal-guide.md?card.md";
import { frontmatter as platformEvolution } from "../content/platform-evolution.md?card.md";
import { frontmatter as redFlags } from "../content/red-flags.md?card.md";
import { frontmatter as escortExperiences } from "../content/escort-experiences.md?card.md";
import type { ArticleSlug } from "./articles";
import { readFrontmatter, type Frontmatter } from "./frontmatter";

/** An article's card on the hub page. */
export interface Card extends Pick<Frontmatter, "title" | "card" | "icon"> {
  readonly slug: ArticleSlug;
}

function card(slug: ArticleSlug, fields: Readonly<Record<string, unknown>>): Card {
  const { title, card, icon } = readFrontmatter(slug, fields);
  return { slug, title, card, icon };
}

/** The hub's cards, in order. */
export const CARDS: readonly Card[] = [
  card("what-is-escort-babylon", whatIsEscortBabylon),
  card("platform-comparison", platformComparison),
  card("safety-guide", safetyGuide),
  card("top-cities", topCities),
  card("profile-tips", profileTips),
  card("legal-guide", legalGuide),
  card("platform-evolution", platformEvolution),
  card("red-flags", redFlags),
  card("escort-experiences", escortExperiences),
];
