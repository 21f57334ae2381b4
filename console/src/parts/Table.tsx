import type { ReactElement, ReactNode } from "react";

interface TableProps {
  readonly caption: ReactNode;
  readonly className?: string;
  /** The heads of the columns, each with the classes of its cell. */
  readonly columns: readonly (readonly [head: ReactNode, className?: string])[];
  /** The rows. */
  readonly children: ReactNode;
}

/** The head of a column that a screen reader alone reads. */
export const ACTIONS: TableProps["columns"][number] = [
  <span key="" className="visually-hidden">
    Actions
  </span>,
];

/** A table with a head, whose caption only a screen reader reads. */
export function Table({ caption, className, columns, children }: TableProps): ReactElement {
  return (
    <table className={className}>
      <caption className="visually-hidden">{caption}</caption>
      <thead>
        <tr>
          {columns.map(([head, classes], index) => (
            <th key={index} scope="col" className={classes}>
              {head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  );
}
