import { Children, isValidElement, type ReactNode } from "react";

interface WithChildren {
  readonly children?: ReactNode;
}

/** Returns the text of a node's elements. Custom components are not rendered and contribute no text. */
export function textOf(node: ReactNode): string {
  return Children.toArray(node)
    .map((part) => {
      if (isValidElement<WithChildren>(part)) return textOf(part.props.children);
      return typeof part === "string" || typeof part === "number" ? String(part) : "";
    })
    .join("");
}

/** Returns the anchor of a heading: its text in lowercase, other characters than a-z and 0-9 replaced by hyphens. */
export function anchorOf(heading: ReactNode): string {
  return textOf(heading)
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "");
}
