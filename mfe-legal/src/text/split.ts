import { anchorOf } from "@colonnade/design/text";
import { Children, isValidElement, type ReactElement, type ReactNode } from "react";

/** A section of a text. Its number is its position in the list, starting at 1. */
interface TextSection {
  /** Anchor derived from the heading. */
  readonly id: string;
  readonly heading: ReactNode;
  readonly body: ReactNode;
}

/** A text split at its headings. */
export interface SplitText {
  /** The content before the first heading. */
  readonly preamble: ReactNode;
  readonly sections: readonly TextSection[];
}

interface WithChildren {
  readonly children?: ReactNode;
}

/** Splits a compiled Markdown text at its second-level headings without rendering it. */
export function splitText(text: ReactElement<WithChildren>): SplitText {
  const preamble: ReactNode[] = [];
  const sections: { id: string; heading: ReactNode; body: ReactNode[] }[] = [];
  // toArray adds the keys that the parts need in their new lists.
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
