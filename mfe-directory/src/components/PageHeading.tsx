import { DuskBand } from "@colonnade/kit/art";
import type { ReactElement, ReactNode } from "react";

import css from "./PageHeading.module.css";

interface Props {
  readonly heading: string;
  readonly subtitle?: string;
  /** Determines a band above the heading; absent without one. */
  readonly band?: string;
  readonly children?: ReactNode;
}

/** The header of a state or city page: heading, subtitle and notices. */
export function PageHeading({ heading, subtitle, band, children }: Props): ReactElement {
  return (
    <header className={css.heading}>
      {band !== undefined && <DuskBand seed={band} className={css.band} />}
      <h1>{heading}</h1>
      {subtitle !== undefined && <p>{subtitle}</p>}
      {children}
    </header>
  );
}
