import { Breadcrumbs } from "@colonnade/design";
import type { Breadcrumb } from "@colonnade/kit";
import type { ReactElement, ReactNode } from "react";

import css from "./PageFrame.module.css";

interface Props {
  readonly trail: readonly Breadcrumb[];
  readonly heading: string;
  readonly children: ReactNode;
}

/** The frame of all pages of this section: breadcrumbs, the heading, and space between the parts. */
export function PageFrame({ trail, heading, children }: Props): ReactElement {
  return (
    <div className="page">
      <Breadcrumbs trail={trail} />
      <div className={css.parts}>
        <h1>{heading}</h1>
        {children}
      </div>
    </div>
  );
}
