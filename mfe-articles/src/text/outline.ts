import { anchorOf, textOf } from "@colonnade/kit/text";
import { Children, isValidElement, type ReactElement, type ReactNode } from "react";

/** Words that an adult reads in a minute, of a text that takes some care. */
const PER_MINUTE = 200;

/** A heading of the second level. */
export interface OutlineEntry {
  readonly id: string;
  readonly heading: ReactNode;
}

/** What is known of a text before anybody reads it. */
export interface Outline {
  readonly entries: readonly OutlineEntry[];
  /** Whole minutes that it takes to read, at least one. */
  readonly minutes: number;
}

interface WithChildren {
  readonly children?: ReactNode;
}

/**
 * Reads the outline of a compiled Markdown text. Nothing is rendered by it.
 *
 * @throws Error when two headings would have one anchor, or one has none: the build stops there.
 */
export function readOutline(file: string, text: ReactElement<WithChildren>): Outline {
  const entries: OutlineEntry[] = [];
  let words = 0;
  for (const part of Children.toArray(text.props.children)) {
    // Parts stand beside each other without a space between them: cells of a table, entries of a list.
    words += wordsOf(part);
    if (!isValidElement<WithChildren>(part) || part.type !== HEADING) continue;
    const heading = part.props.children;
    const id = anchorOf(heading);
    if (id === "" || entries.some((entry) => entry.id === id))
      throw new Error(`${file}: the heading "${textOf(heading)}" has no anchor of its own; expected other words`);
    entries.push({ id, heading });
  }
  return { entries, minutes: Math.max(1, Math.round(words / PER_MINUTE)) };
}

/** What the headings are at which it is cut. */
export const HEADING = "h2";

function wordsOf(node: ReactNode): number {
  return Children.toArray(node).reduce<number>((sum, part) => {
    if (isValidElement<WithChildren>(part)) return sum + wordsOf(part.props.children);
    return sum + (typeof part === "string" ? (part.match(/\w[^\s]*/g)?.length ?? 0) : 0);
  }, 0);
}
