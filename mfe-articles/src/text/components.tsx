import { anchorOf, TEXT_COMPONENTS as COMMON } from "@colonnade/kit/text";
import type { ComponentProps, ReactElement, ReactNode } from "react";

import css from "./text.module.css";

/** A table that scrolls by itself where the screen is too narrow for it. */
function Table({ children }: { readonly children?: ReactNode }): ReactElement {
  return (
    <div className={css.scroll}>
      <table role="table">{children}</table>
    </div>
  );
}

// Some browsers take a table whose parts are laid out as blocks, as on a phone, for none, unless it says what it is.
const Row = (props: ComponentProps<"tr">): ReactElement => <tr role="row" {...props} />;
const Cell = (props: ComponentProps<"td">): ReactElement => <td role="cell" {...props} />;
const ColumnHeading = (props: ComponentProps<"th">): ReactElement => <th role="columnheader" {...props} />;

/** A heading that can be linked to. */
function Heading({ children }: { readonly children?: ReactNode }): ReactElement {
  return <h2 id={anchorOf(children)}>{children}</h2>;
}

/** What Markdown's elements become. */
export const TEXT_COMPONENTS = { ...COMMON, table: Table, tr: Row, td: Cell, th: ColumnHeading, h2: Heading } as const;
