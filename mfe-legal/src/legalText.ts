import { formatDate } from "@colonnade/design/text";
import type { ReactElement, ReactNode } from "react";

import { componentsWith, type TextComponents } from "./choices";
import { splitText, type SplitText } from "./text/split";

/** A parsed legal text. Its strings may contain fact placeholders in braces. */
export interface LegalText extends SplitText {
  readonly title: string;
  readonly description: string;
  /** Effective date, `YYYY-MM-DD`. */
  readonly inForce: string;
  /** The operator's promises. The page omits the box if there are none. */
  readonly commitment: readonly string[];
}

/** A compiled Markdown file. */
export interface MarkdownModule {
  readonly default: (props: { readonly components: TextComponents }) => ReactElement<{ readonly children?: ReactNode }>;
  readonly frontmatter: Readonly<Record<string, unknown>>;
}

/**
 * Parses a legal text. The build calls it too, so that a mistake fails the build, not the page.
 *
 * @throws Error naming the file and the invalid key of its front matter.
 */
export function readLegalText(file: string, { default: Text, frontmatter }: MarkdownModule): LegalText {
  const text = (key: string): string => {
    const value = frontmatter[key];
    if (typeof value !== "string" || !value.trim())
      throw new Error(`${file}: "${key}" is missing or empty; expected a string`);
    return value;
  };
  const { commitment = [], choices = {} } = frontmatter;
  if (!isStringList(commitment)) throw new Error(`${file}: "commitment" is invalid; expected a list of strings`);
  const inForce = text("inForce");
  try {
    formatDate(inForce);
  } catch (error) {
    throw new Error(`${file}: "inForce" is invalid`, { cause: error });
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
    throw new Error(`${file}: "choices" is invalid`, { cause: error });
  }
}

function isStringList(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((entry) => typeof entry === "string");
}
