import type { ReactElement, ReactNode } from "react";

import css from "./PageHeading.module.css";

interface Props {
  readonly heading: string;
  readonly line?: string;
  readonly children?: ReactNode;
}

/** How a page of places opens: its heading, a line below it, and what else has to be said first. */
export function PageHeading({ heading, line, children }: Props): ReactElement {
  return (
    <header className={css.heading}>
      <h1>{heading}</h1>
      {line !== undefined && <p>{line}</p>}
      {children}
    </header>
  );
}
