import { Children, isValidElement, type ReactNode } from "react";

interface WithChildren {
  readonly children?: ReactNode;
}

/** What a node says, as far as that is known without rendering it: components of one's own say nothing. */
export function textOf(node: ReactNode): string {
  return Children.toArray(node)
    .map((part) => {
      if (isValidElement<WithChildren>(part)) return textOf(part.props.children);
      return typeof part === "string" || typeof part === "number" ? String(part) : "";
    })
    .join("");
}

/** The anchor of a heading, made from its words: it is the same for as long as they are. */
export function anchorOf(heading: ReactNode): string {
  return textOf(heading)
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "");
}
