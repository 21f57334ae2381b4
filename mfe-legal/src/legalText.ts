import type { ReactElement, ReactNode } from "react";

import { componentsWith, type TextComponents } from "./choices";
import { inWords } from "./dates";
import { splitText, type SplitText } from "./text/split";

/** A legal text, ready to be shown. Its strings may still name facts of the site in braces. */
export interface LegalText extends SplitText {
  readonly title: string;
  readonly description: string;
  /** Since when the text holds, `YYYY-MM-DD`. */
  readonly inForce: string;
  /** What the operator promises, in short. Empty: the page shows no such box. */
  readonly commitment: readonly string[];
}

/** A compiled Markdown file. */
export interface MarkdownModule {
  readonly default: (props: { readonly components: TextComponents }) => ReactElement<{ readonly children?: ReactNode }>;
  readonly frontmatter: Readonly<Record<string, unknown>>;
}

/**
 * Makes a text from its Markdown file. It runs when the section is built, too, so that a writer's slip
 * stops the build and not a visitor.
 *
 * @throws Error naming the file and what is wrong in its front matter.
 */
export function readLegalText(file: string, { default: Text, frontmatter }: MarkdownModule): LegalText {
  const text = (key: string): string => {
    const value = frontmatter[key];
    if (typeof value !== "string" || !value.trim()) throw new Error(`${file}: "${key}" is missing or no text`);
    return value;
  };
  const { commitment = [], choices = {} } = frontmatter;
  if (!isTexts(commitment)) throw new Error(`${file}: "commitment" is no list of texts`);
  const inForce = text("inForce");
  try {
    inWords(inForce);
  } catch (error) {
    throw new Error(`${file}: inForce`, { cause: error });
  }
  return {
    title: text("title"),
    description: text("description"),
    inForce,
    commitment,
    ...splitText(Text({ components: componentsOf(file, choices) })),
  };
}

function componentsOf(file: string, choices: unknown): TextComponents {
  try {
    return componentsWith(choices);
  } catch (error) {
    throw new Error(`${file}: choices`, { cause: error });
  }
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((entry) => typeof entry === "string");
}
