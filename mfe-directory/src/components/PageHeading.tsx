import type { ReactElement, ReactNode } from "react";

import css from "./PageHeading.module.css";

interface Props {
  readonly heading: string;
  readonly subtitle?: string;
  readonly children?: ReactNode;
}

/** The header of a state or city page: heading, subtitle and notices. */
export function PageHeading({ heading, subtitle, children }: Props): ReactElement {
  return (
    <header className={css.heading}>
      <h1>{heading}</h1>
      {subtitle !== undefined && <p>{subtitle}</p>}
      {children}
    </header>
  );
}
