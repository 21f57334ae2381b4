import { anchorOf, TEXT_COMPONENTS as COMMON, textOf } from "@colonnade/design/text";
import {
  Children,
  createContext,
  isValidElement,
  useContext,
  type ComponentProps,
  type ReactElement,
  type ReactNode,
} from "react";

import { Bar, figureOrQuotation } from "../figures/Figure";
import css from "./text.module.css";

interface WithChildren {
  readonly children?: ReactNode;
}

function elementsIn(node: ReactNode): ReactElement<WithChildren>[] {
  return Children.toArray(node).filter((part) => isValidElement<WithChildren>(part));
}

/** The headings of a table's columns. */
const ColumnHeadings = createContext<readonly string[]>([]);

/** The heading of a cell's column. */
const ColumnHeading = createContext<string | undefined>(undefined);

/** A table that phones show as a list, or scroll horizontally if it has four columns or more. */
function Table({ children }: WithChildren): ReactElement {
  const [head] = elementsIn(children);
  const [row] = elementsIn(head?.props.children);
  return (
    <div className={css.scroll}>
      <table role="table">
        <ColumnHeadings value={elementsIn(row?.props.children).map(textOf)}>{children}</ColumnHeadings>
      </table>
    </div>
  );
}

// Some browsers drop table semantics when CSS changes `display`, as on phones. Explicit roles restore them.
function Row({ children }: WithChildren): ReactElement {
  const headings = useContext(ColumnHeadings);
  return (
    <tr role="row">
      {elementsIn(children).map((cell, column) => (
        <ColumnHeading key={cell.key} value={headings[column]}>
          {cell}
        </ColumnHeading>
      ))}
    </tr>
  );
}

function Cell({ children, ...props }: ComponentProps<"td">): ReactElement {
  return (
    <td role="cell" data-heading={useContext(ColumnHeading)} {...props}>
      {props.align === "right" && <Bar>{children}</Bar>}
      {children}
    </td>
  );
}

const ColumnHeader = (props: ComponentProps<"th">): ReactElement => <th role="columnheader" {...props} />;

/** A heading with an anchor. */
function Heading({ children }: WithChildren): ReactElement {
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
  blockquote: figureOrQuotation(),
} as const;
