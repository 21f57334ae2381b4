import { textOf } from "@colonnade/design/text";
import { Children, createContext, isValidElement, useContext, type ReactElement, type ReactNode } from "react";

import { classes } from "./classes";
import css from "./figure.module.css";

/** Props of what shows the text of a figure. */
export interface FigureProps {
  readonly children?: ReactNode;
}

interface WithChildren extends FigureProps {
  readonly align?: string;
}

/** The number of a full bar in the table of a figure, or 0 outside of one. */
const FullBar = createContext(0);

/** Kinds of figures: the class by which styles alone draw one, or what shows its text. */
type Kinds = Readonly<Record<string, string | undefined | ((props: FigureProps) => ReactElement)>>;

/** The kinds of all articles. */
const COMMON: Kinds = { bars: css.bars, timeline: css.timeline, flow: css.flow };

const MARKER = /^\[!(\w+)\]\s*/;

function numberIn(node: ReactNode): number {
  const text = textOf(node);
  return /^[\d,]+$/.test(text) ? Number(text.replaceAll(",", "")) : NaN;
}

/** Returns the largest number in the right-aligned cells of a table. */
function largestNumber(node: ReactNode): number {
  return Children.toArray(node).reduce<number>((largest, part) => {
    if (!isValidElement<WithChildren>(part)) return largest;
    const { align, children } = part.props;
    return Math.max(largest, align === "right" ? numberIn(children) || 0 : largestNumber(children));
  }, 0);
}

/**
 * Returns the component of a quotation or, if it begins with `[!kind] Caption`, of a figure. The figure's text is its own
 * equivalent:
 *
 * - `bars`: a table. Each number in a right-aligned column has a bar.
 * - `timeline`: a list. Each entry begins with a date in bold.
 * - `flow`: a numbered list of questions in bold. Each has a list of two answers, the second of which leads on.
 * - Any other kind is one of the article, in `own`.
 */
export function figureOrQuotation(own: Kinds = {}): (props: FigureProps) => ReactElement {
  const kinds = { ...COMMON, ...own };
  return function FigureOrQuotation({ children }) {
    const [first, ...rest] = Children.toArray(children).filter((part) => isValidElement(part));
    const [marker, kind = ""] = MARKER.exec(textOf(first)) ?? [];
    if (marker === undefined) return <blockquote>{children}</blockquote>;
    const Kind = kinds[kind];
    if (Kind === undefined) throw new Error(`this article has no figure of the kind "${kind}"`);
    return (
      <figure className={classes(css.figure, typeof Kind === "string" ? Kind : undefined)}>
        <figcaption>{textOf(first).slice(marker.length)}</figcaption>
        {typeof Kind === "string" ? (
          <FullBar value={kind === "bars" ? largestNumber(rest) : 0}>{rest}</FullBar>
        ) : (
          <Kind>{rest}</Kind>
        )}
      </figure>
    );
  };
}

/** The bar of a table cell in a figure. */
export function Bar({ children }: { readonly children?: ReactNode }): ReactElement | null {
  const full = useContext(FullBar);
  const number = numberIn(children);
  if (full === 0 || Number.isNaN(number)) return null;
  return (
    <svg className={css.bar} viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">
      <rect width={Math.round((1000 * number) / full) / 10} height={1} />
    </svg>
  );
}
