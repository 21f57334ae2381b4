import { Breadcrumbs, type BreadcrumbsProps } from "@colonnade/design";
import type { ReactElement } from "react";

import css from "./BreadcrumbRow.module.css";
import { PlaceSearch } from "./PlaceSearch";

/** The row above the heading: the breadcrumbs and the place search. */
export function BreadcrumbRow({ trail }: BreadcrumbsProps): ReactElement {
  return (
    <div className={css.row}>
      <Breadcrumbs trail={trail} />
      <PlaceSearch compact />
    </div>
  );
}
