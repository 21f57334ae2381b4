import { Breadcrumbs, type BreadcrumbsProps } from "@colonnade/design";
import { lazy, Suspense, type ReactElement } from "react";

import css from "./BreadcrumbRow.module.css";

const PlaceSearch = lazy(async () => ({ default: (await import("./PlaceSearch")).PlaceSearch }));

/** The row above the heading: the breadcrumbs and the place search, whose code loads after the page's. */
export function BreadcrumbRow({ trail }: BreadcrumbsProps): ReactElement {
  return (
    <div className={css.row}>
      <Breadcrumbs trail={trail} />
      <Suspense>
        <PlaceSearch compact />
      </Suspense>
    </div>
  );
}
