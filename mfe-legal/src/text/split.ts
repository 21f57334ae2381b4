import { anchorOf } from "@colonnade/kit/text";
import { Children, isValidElement, type ReactElement, type ReactNode } from "react";

/** One numbered section of a text; its number is its place in the list, from 1. */
export interface TextSection {
  /** Anchor of the section, made from its heading. */
  readonly id: string;
  readonly heading: ReactNode;
  readonly body: ReactNode;
}

/** A text, cut at its headings. */
export interface SplitText {
  /** What stands before the first heading. */
  readonly preamble: ReactNode;
  readonly sections: readonly TextSection[];
}

interface WithChildren {
  readonly children?: ReactNode;
}

/** Cuts a compiled Markdown text at its second-level headings. Nothing is rendered by it. */
export function splitText(text: ReactElement<WithChildren>): SplitText {
  const preamble: ReactNode[] = [];
  const sections: { id: string; heading: ReactNode; body: ReactNode[] }[] = [];
  // toArray gives each part a key, which parts of one list need once they are moved into another.
  for (const part of Children.toArray(text.props.children)) {
    if (isValidElement<WithChildren>(part) && part.type === "h2") {
      const heading = part.props.children;
      sections.push({ id: anchorOf(heading), heading, body: [] });
    } else {
      (sections.at(-1)?.body ?? preamble).push(part);
    }
  }
  return { preamble, sections };
}
