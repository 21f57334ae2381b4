import { anchorOf, textOf } from "@colonnade/design/text";
import { Children, isValidElement, type ReactElement, type ReactNode } from "react";

/** Reading speed of an adult in words per minute. */
const WORDS_PER_MINUTE = 200;

/** A second-level heading. */
export interface OutlineEntry {
  readonly id: string;
  readonly heading: ReactNode;
}

/** The outline of a text. */
export interface Outline {
  readonly entries: readonly OutlineEntry[];
  /** Reading time in minutes, at least one. */
  readonly minutes: number;
}

interface WithChildren {
  readonly children?: ReactNode;
}

/**
 * Reads the outline of a compiled Markdown text without rendering it.
 *
 * @throws Error if a heading's anchor is empty or not unique. The build fails.
 */
export function readOutline(file: string, text: ReactElement<WithChildren>): Outline {
  const entries: OutlineEntry[] = [];
  let words = 0;
  for (const part of Children.toArray(text.props.children)) {
    // Counted per part: adjacent table cells and list items have no space between them.
    words += wordsOf(part);
    if (!isValidElement<WithChildren>(part) || part.type !== HEADING) continue;
    const heading = part.props.children;
    const id = anchorOf(heading);
    if (id === "" || entries.some((entry) => entry.id === id))
      throw new Error(`${file}: the heading "${textOf(heading)}" has an empty or duplicate anchor; change its text`);
    entries.push({ id, heading });
  }
  return { entries, minutes: Math.max(1, Math.round(words / WORDS_PER_MINUTE)) };
}

/** Element type of the outline's headings. */
export const HEADING = "h2";

function wordsOf(node: ReactNode): number {
  return Children.toArray(node).reduce<number>((sum, part) => {
    if (isValidElement<WithChildren>(part)) return sum + wordsOf(part.props.children);
    return sum + (typeof part === "string" ? (part.match(/\w[^\s]*/g)?.length ?? 0) : 0);
  }, 0);
}
