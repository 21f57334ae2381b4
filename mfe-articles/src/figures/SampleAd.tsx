import { anchorOf, TextLink } from "@colonnade/design/text";
import { Children, isValidElement, type ComponentProps, type ReactElement } from "react";

import { figureOrQuotation, type FigureProps } from "./Figure";
import css from "./sampleAd.module.css";

/** The heading of a sample ad, with an anchor. */
function Heading({ children }: FigureProps): ReactElement {
  return <h3 id={anchorOf(children)}>{children}</h3>;
}

/** A list item. One that links back to a sample explains a sign: the anchor is its first element, the sign in bold. */
function Line({ children }: FigureProps): ReactElement {
  const parts = Children.toArray(children).filter((part) => isValidElement<ComponentProps<"a">>(part));
  const explainsSign = parts.some(({ props }) => props.href?.startsWith("#"));
  return explainsSign ? (
    <li id={anchorOf(parts[0])} className={css.line}>
      {children}
    </li>
  ) : (
    <li>{children}</li>
  );
}

/** A link. One with a title is a phrase of a sample ad; the title is the sign that it leads to. */
function Phrase({ title, ...props }: ComponentProps<"a">): ReactElement {
  if (title === undefined) return <TextLink {...props} />;
  return (
    <a {...props}>
      {props.children}
      <span className={css.sign}> (sign: {title})</span>
    </a>
  );
}

/** Components of an article with sample ads, whose phrases link to the lines that explain their signs. */
export const SIGN_COMPONENTS = {
  a: Phrase,
  h3: Heading,
  li: Line,
  blockquote: figureOrQuotation({ sample: css.sample }),
} as const;
