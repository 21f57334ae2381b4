import type { ComponentType } from "react";

import * as whatIsThis from "../../content/faq/01-what-is-this.md";
import * as areAdsReal from "../../content/faq/02-are-ads-real.md";
import * as whyMyAge from "../../content/faq/03-why-my-age.md";
import * as whereDetailsGo from "../../content/faq/04-where-details-go.md";
import * as howWeEarn from "../../content/faq/05-how-we-earn.md";
import * as verifiedAdvertisers from "../../content/faq/06-verified-advertisers.md";
import * as isEscortingLegal from "../../content/faq/07-is-escorting-legal.md";
import * as howToReport from "../../content/faq/08-how-to-report.md";
import * as deleteData from "../../content/faq/09-delete-data.md";
import * as reviews from "../../content/faq/10-reviews.md";

/** A Markdown file of content/faq: question in the front matter, answer in the text. */
interface FaqFile {
  readonly frontmatter: Readonly<Record<string, unknown>>;
  readonly default: ComponentType<{ readonly components?: Readonly<Record<string, unknown>> }>;
}

/** A question and its answer. */
interface FaqEntry {
  readonly question: string;
  readonly Answer: FaqFile["default"];
}

function entryOf({ frontmatter: { question }, default: Answer }: FaqFile): FaqEntry {
  if (typeof question !== "string")
    throw new Error('content/faq: a file has no "question" in its front matter; expected a string');
  return { question, Answer };
}

/** The FAQ of the home page, in order. */
export const FAQ: readonly FaqEntry[] = [
  whatIsThis,
  areAdsReal,
  whyMyAge,
  whereDetailsGo,
  howWeEarn,
  verifiedAdvertisers,
  isEscortingLegal,
  howToReport,
  deleteData,
  reviews,
].map(entryOf);
