import { anchorOf, TEXT_COMPONENTS as COMMON } from "@colonnade/kit/text";
import type { ComponentProps, ReactElement, ReactNode } from "react";

import { Bar, FigureOrQuotation } from "../figures/Figure";
import css from "./text.module.css";

/** A table that scrolls horizontally on narrow screens. */
function Table({ children }: { readonly children?: ReactNode }): ReactElement {
  return (
    <div className={css.scroll}>
      <table role="table">{children}</table>
    </div>
  );
}

// Some browsers drop table semantics when CSS changes `display`, as on phones. Explicit roles restore them.
const Row = (props: ComponentProps<"tr">): ReactElement => <tr role="row" {...props} />;
const Cell = ({ children, ...props }: ComponentProps<"td">): ReactElement => (
  <td role="cell" {...props}>
    {props.align === "right" && <Bar>{children}</Bar>}
    {children}
  </td>
);
const ColumnHeader = (props: ComponentProps<"th">): ReactElement => <th role="columnheader" {...props} />;

/** A heading with an anchor. */
function Heading({ children }: { readonly children?: ReactNode }): ReactElement {
  return <h2 id={anchorOf(children)}>{children}</h2>;
}

/** Components that render Markdown elements. */
export const TEXT_COMPONENTS = {
  ...COMMON,
  table: Table,
  tr: Row,
  td: Cell,
  th: ColumnHeader,
  h2: Heading,
  blockquote: FigureOrQuotation,
} as const;
